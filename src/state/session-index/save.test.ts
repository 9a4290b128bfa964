import { statSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AgentFolder, countingIo, entry } from "../../../test/support/agent-folder.ts";
import type { SessionStore } from "./entry.ts";
import { loadSessionStore } from "./load.ts";
import { deleteSessionEntry, patchSessionEntry } from "./patch.ts";
import { saveSessionStore } from "./save.ts";

describe("the session index", () => {
  it("is empty for an agent without one, and nothing is written", () => {
    using folder = new AgentFolder();
    expect(loadSessionStore({ agentDir: folder.agentDir })).toEqual({});
    expect(() => folder.names()).toThrow();
  });

  it("has every field of an entry, known or not, after saving and loading", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    const full = entry("abc123-def456", 1_740_000_000_000, {
      sessionFile: "abc123-def456.jsonl",
      spawnedBy: "cli:default",
      spawnDepth: 1,
      chatType: "direct",
      modelOverride: "m",
      totalTokensFresh: true,
      origin: { label: "Ada", from: "+1234567890" },
      deliveryContext: { channel: "telegram", to: "+1 234 567890" },
      somethingNew: { nested: [1, null] },
    });
    await saveSessionStore({ agentDir, store: { "telegram:+1234567890": full } });
    expect(loadSessionStore({ agentDir, agentId: "main" })).toEqual({ "telegram:+1234567890": full });
    expect(folder.read()).toEqual({ "telegram:+1234567890": full });
    expect(statSync(folder.path).mode & 0o777).toBe(0o600);
    expect(folder.names()).toEqual(["sessions.json"]);
  });

  it("returns a copy to every caller", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    await saveSessionStore({ agentDir, store: { "cli:x": entry("a", 1, { origin: { label: "was" } }) } });
    for (let reading = 0; reading < 3; reading++) {
      const store = loadSessionStore({ agentDir });
      expect(store["cli:x"]?.origin).toEqual({ label: "was" });
      (store["cli:x"]?.origin as { label: string }).label = "changed";
    }
  });

  it("is read from disk when the file has changed or the cache has expired, and not before", async () => {
    using folder = new AgentFolder();
    folder.write("sessions.json", { "cli:x": entry("a", 1) });
    const io = countingIo();
    const load = (cacheTtlMs?: number): SessionStore =>
      loadSessionStore({ agentDir: folder.agentDir, io, cacheTtlMs });
    load();
    load();
    expect(io.opened).toBe(1);
    load(0);
    expect(io.opened).toBe(2);
    folder.write("sessions.json", { "cli:x": entry("b", 1) });
    utimesSync(folder.path, 1, 1);
    expect(load()["cli:x"]?.sessionId).toBe("b");
    expect(io.opened).toBe(3);
    load();
    expect(io.opened).toBe(3);
    await new Promise((next) => setTimeout(next, 10));
    load(5);
    expect(io.opened).toBe(4);
  });

  it("has canonical keys after the first change of a legacy one", async () => {
    using folder = new AgentFolder();
    folder.write("sessions.json", { "cli:local": entry("a", 1), "discord:guild1:channel2": entry("b", 1) });
    await patchSessionEntry({ agentDir: folder.agentDir, sessionKey: "CLI:Local", patch: { label: "x" } });
    expect(Object.keys(folder.read())).toEqual(["cli:default", "discord:channel:2"]);
    expect(folder.read()["cli:default"]).toMatchObject({ sessionId: "a", label: "x" });
  });
});

describe("saving a store", () => {
  it("keeps changes that others made since it was loaded", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    const first = { "cli:a": entry("a", 1), "cli:b": entry("b", 1), "cli:c": entry("c", 1) };
    await saveSessionStore({ agentDir, store: first });
    const store = loadSessionStore({ agentDir });
    await patchSessionEntry({ agentDir, sessionKey: "cli:a", patch: { label: "theirs", updatedAt: 5 } });
    await deleteSessionEntry({ agentDir, sessionKey: "cli:b" });
    store["cli:a"] = entry("a", 3, { model: "ours" });
    delete store["cli:c"];
    store["cli:d"] = entry("d", 3);
    await saveSessionStore({ agentDir, store });
    expect(folder.read()).toEqual({
      "cli:a": entry("a", 5, { label: "theirs", model: "ours" }),
      "cli:d": entry("d", 3),
    });
    // The same object once more: what others did meanwhile still counts.
    await deleteSessionEntry({ agentDir, sessionKey: "cli:d" });
    store["cli:e"] = entry("e", 4);
    await saveSessionStore({ agentDir, store });
    expect(Object.keys(folder.read())).toEqual(["cli:a", "cli:e"]);
  });

  it("writes the store as passed, without later modifications", async () => {
    using folder = new AgentFolder();
    const store = { "cli:a": entry("a", 1, { label: "given" }) };
    const saved = saveSessionStore({ agentDir: folder.agentDir, store });
    (store["cli:a"] as { label: string }).label = "later";
    await saved;
    expect(folder.read()["cli:a"]?.label).toBe("given");
  });

  it("deletes missing keys of a new object only with a base", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    await saveSessionStore({ agentDir, store: { "cli:a": entry("a", 1), "cli:b": entry("b", 1) } });
    const base = loadSessionStore({ agentDir });
    const { "cli:a": _, ...store } = base;
    await saveSessionStore({ agentDir, store: { ...store } });
    expect(Object.keys(folder.read())).toEqual(["cli:a", "cli:b"]);
    await saveSessionStore({ agentDir, store: { ...store }, base });
    expect(Object.keys(folder.read())).toEqual(["cli:b"]);
  });

  it.each([
    ["no object", [] as never],
    ["an entry without an id", { "cli:x": { updatedAt: 1 } as never }],
    ["an entry without a time", { "cli:x": { sessionId: "a" } as never }],
    ["what JSON cannot hold", { "cli:x": entry("a", 1, { at: new Date() }) }],
    ["a key that is none", { "discord:": entry("a", 1) }],
  ])("refuses %s, and writes nothing", async (_, store) => {
    using folder = new AgentFolder();
    const saving = saveSessionStore({ agentDir: folder.agentDir, store });
    await expect(saving).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    expect(() => folder.names()).toThrow();
  });
});
