import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { AWAITING_SCHEMA, Awaiting } from "./awaiting.ts";

function awaiting(): Awaiting {
  const database = new DatabaseSync(":memory:");
  database.exec(AWAITING_SCHEMA);
  return new Awaiting(database);
}

it("a fork stays due while its end is read beside the session that it waits for", () => {
  const files = awaiting();
  files.put("fork", "session", [], false);
  files.put("session", undefined, ["session"], false);
  files.put("fork", "session", [], true);
  expect(files.isDue("fork")).toBe(true);
  files.put("fork", "session", [], false);
  expect(files.isDue("fork")).toBe(false);
});

it("a fork that waits for nothing any more is not due", () => {
  const files = awaiting();
  files.put("fork", "session", [], false);
  files.put("session", undefined, ["session"], false);
  files.put("fork", undefined, [], true);
  expect(files.isDue("fork")).toBe(false);
  expect([...files.ids]).toEqual([]);
});
