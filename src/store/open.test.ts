import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { EphemeralEngine } from "../engine/ephemeral/ephemeral-engine.ts";
import { openStore, type StoreOptions } from "./open.ts";

/** Target, options, code, what the message says. */
const REFUSED: readonly (readonly [string, StoreOptions, string, RegExp])[] = [
  ["", {}, "VALIDATION_ERROR", /use sqlite:FILE/],
  ["./agent.db", {}, "VALIDATION_ERROR", /use sqlite:FILE/],
  ["mysql://localhost", {}, "VALIDATION_ERROR", /Unknown store/],
  ["sqlite:", {}, "VALIDATION_ERROR", /requires a path/],
  ["jsonl:", {}, "VALIDATION_ERROR", /requires a path/],
  ["sqlite:a\0b", {}, "VALIDATION_ERROR", /requires a path/],
  ["postgres://localhost/x", {}, "NOT_SUPPORTED", /PostgreSQL/],
  ["ephemeral:", { durability: "none" as "full" }, "VALIDATION_ERROR", /durability/],
  ["ephemeral:", { worker: true }, "VALIDATION_ERROR", /worker has no effect/],
  ["ephemeral:", { durability: "process" }, "VALIDATION_ERROR", /durability has no effect/],
  ["ephemeral:", { lockWaitMs: 5 }, "VALIDATION_ERROR", /lockWaitMs has no effect/],
  ["ephemeral:", { sessions: {} }, "VALIDATION_ERROR", /sessions has no effect/],
  ["sqlite:x.db", { sessions: { format: "legacy" } }, "VALIDATION_ERROR", /sessions has no effect/],
  ["ephemeral:", { lockWaitMs: -1 }, "VALIDATION_ERROR", /lockWaitMs/],
];

describe("openStore", () => {
  it.each(REFUSED)("refuses %j with %j", async (target, options, code, message) => {
    await expect(openStore(target, options)).rejects.toMatchObject({ code, message });
  });

  it("refuses options of an engine that is already open", async () => {
    const engine = new EphemeralEngine();
    await expect(openStore(engine, { durability: "process" })).rejects.toMatchObject({
      ...{ code: "VALIDATION_ERROR", field: "durability" },
    });
    await using store = await openStore(engine, { worker: false, readonly: true });
    expect(store.engine).toBe("ephemeral");
  });

  it.each(["sqlite", "jsonl"])("throws the same errors through a worker thread (%s)", async (engine) => {
    const path = join(tempFolder(), "missing");
    const opening = openStore(`${engine}:${path}`, { worker: true, readonly: true });
    await expect(opening).rejects.toMatchObject({ name: "ColloquyError", code: "NOT_FOUND" });
  });

  it("dates ids by its own clock, whatever the clock of another store says", async () => {
    const NOW_MS = Date.UTC(2026, 0, 1);
    await using ahead = await openStore("ephemeral:", { clock: () => Date.UTC(2500, 0, 1) });
    await using store = await openStore("ephemeral:", { clock: () => NOW_MS });
    await (await ahead.create()).append({ role: "user", content: "from the future" });
    const chat = await store.create();
    const { entries } = await chat.append({ role: "user", content: "now" });
    for (const id of [chat.id, entries[0]?.id ?? ""]) {
      expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(NOW_MS);
    }
  });

  it("has the name of its engine and its location", async () => {
    const folder = tempFolder();
    await using files = await openStore(`jsonl:${join(folder, "files")}`);
    await using file = await openStore(`sqlite:${join(folder, "store.db")}`, { worker: true });
    await using nothing = await openStore("ephemeral:");
    expect([files.engine, files.path]).toEqual(["jsonl", join(folder, "files")]);
    expect([file.engine, file.path]).toEqual(["sqlite", join(folder, "store.db")]);
    expect([nothing.engine, nothing.path]).toEqual(["ephemeral", null]);
  });

  it("does not take over a folder of other files", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "holiday.jpg"), "");
    const opening = openStore(`jsonl:${folder}`);
    await expect(opening).rejects.toMatchObject({ code: "VALIDATION_ERROR", message: /holiday\.jpg/ });
    const reading = openStore(`jsonl:${folder}`, { readonly: true });
    await expect(reading).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
