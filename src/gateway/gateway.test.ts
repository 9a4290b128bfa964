import { describe, expect, it } from "vitest";
import { openStore } from "../store/open.ts";
import { openGateway } from "./gateway.ts";

describe("a gateway", () => {
  it("answers on loopback, and follows the error contract", async () => {
    await using store = await openStore("ephemeral:");
    await using gateway = await openGateway({ store, port: 0, version: "1" });
    expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ ok: true });
    const missing = await fetch(`${gateway.url}/nowhere`);
    expect(missing.status).toBe(404);
    expect(await missing.json()).toEqual({
      error: { code: "NOT_FOUND", message: "There is no such address", field: null },
    });
  });
});
