import { expect, it, vi } from "vitest";
import { openPlace } from "./place.ts";

vi.mock("../../src/sqlite/pragma.ts", async (original) => ({
  ...(await original<typeof import("../../src/sqlite/pragma.ts")>()),
  sqliteVersion: () => "3.51.2",
}));

it("signs in with a SQLite that lets only one connection have the access records", async () => {
  await using place = await openPlace({}, { thread: true });
  expect(place.auth.records.isExclusive()).toBe(true);
  const body = { token: place.secrets.get("admin") };
  expect((await place.call("POST /auth/token", { as: null, body })).status).toBe(200);
});
