import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentFolder, countingIo, entry } from "../../../test/support/agent-folder.ts";
import { systemIo } from "../../disk/file-io.ts";
import { loadSessionStore } from "./load.ts";
import { deleteSessionEntry, patchSessionEntry } from "./patch.ts";
import { saveSessionStore } from "./save.ts";

describe("patching an entry", () => {
  it("changes the fields it names, removes those that are undefined, and updates the time", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    const clock = (): number => 1000;
    const patch = (patch: object) => patchSessionEntry({ agentDir, sessionKey: "cli:x", patch, clock });
    await patch({ sessionId: "a", label: "one", model: "m" });
    expect(await patch({ label: undefined, totalTokens: 7 })).toEqual(
      entry("a", 1000, { model: "m", totalTokens: 7 }),
    );
    expect(await patch({ updatedAt: 5 })).toMatchObject({ updatedAt: 1000 });
    expect(folder.read()).toEqual({ "cli:x": entry("a", 1000, { model: "m", totalTokens: 7 }) });
  });

  it("calls a function with the entry, and changes nothing when it returns undefined", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    const sessionKey = "cli:x";
    await patchSessionEntry({ agentDir, sessionKey, patch: { sessionId: "a", totalTokens: 1 } });
    const more = () =>
      patchSessionEntry({
        agentDir,
        sessionKey,
        patch: (current) => ({ totalTokens: (current?.totalTokens ?? 0) + 1 }),
      });
    await Promise.all(Array.from({ length: 50 }, more));
    const before = folder.read();
    expect(before[sessionKey]?.totalTokens).toBe(51);
    await patchSessionEntry({ agentDir, sessionKey, patch: () => undefined });
    expect(folder.read()).toEqual(before);
  });

  it("of a missing session requires its id", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    const patching = patchSessionEntry({ agentDir, sessionKey: "cli:x", patch: { label: "x" } });
    await expect(patching).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await deleteSessionEntry({ agentDir, sessionKey: "cli:x" })).toBe(false);
  });

  it("that fails is an error for its caller only: those before and after it succeed", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    const patch = (number: number) =>
      patchSessionEntry({
        agentDir,
        sessionKey: `cli:${number}`,
        patch: () => {
          if (number % 3 === 1) throw new Error(`no ${number}`);
          return { sessionId: `id${number}` };
        },
      });
    const results = await Promise.allSettled(Array.from({ length: 9 }, (_, number) => patch(number)));
    expect(results.map(({ status }) => status === "fulfilled")).toEqual(
      Array.from({ length: 9 }, (_, number) => number % 3 !== 1),
    );
    expect(results[4]).toMatchObject({ reason: { message: "no 4" } });
    expect(Object.keys(folder.read())).toHaveLength(6);
  });

  it("on a full disk fails and keeps the old file; the next one succeeds", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    await saveSessionStore({ agentDir, store: { "cli:x": entry("a", 1) } });
    let full = true;
    const io = countingIo({
      write: (file, bytes, position) =>
        systemIo.write(file, full ? bytes.subarray(0, bytes.length >> 1) : bytes, position),
    });
    const patch = () => patchSessionEntry({ agentDir, sessionKey: "cli:x", patch: { label: "x" }, io });
    await expect(patch()).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(folder.read()).toEqual({ "cli:x": entry("a", 1) });
    expect(folder.names()).toEqual(["sessions.json"]);
    full = false;
    await patch();
    expect(folder.read()["cli:x"]?.label).toBe("x");
  });

  it("in an unwritable folder fails and names the file", async () => {
    using folder = new AgentFolder();
    folder.write("sessions.json", { "cli:x": entry("a", 1) });
    const io = countingIo({
      open(path, mode) {
        if (mode !== "create") return systemIo.open(path, mode);
        throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS", syscall: "open" });
      },
    });
    const { agentDir } = folder;
    const patching = patchSessionEntry({ agentDir, sessionKey: "cli:x", patch: { label: "x" }, io });
    await expect(patching).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    await expect(patching).rejects.toThrow(folder.path);
    expect(loadSessionStore({ agentDir, io })).toEqual({ "cli:x": entry("a", 1) });
  });

  it("is not blocked by leftovers of a killed writer", async () => {
    using folder = new AgentFolder();
    folder.write("sessions.json", { "cli:x": entry("a", 1) });
    writeFileSync(join(folder.agentDir, "sessions", ".colloquy-00ff-sessions.json.tmp"), "half");
    await patchSessionEntry({ agentDir: folder.agentDir, sessionKey: "cli:x", patch: { label: "x" } });
    expect(folder.names()).toEqual(["sessions.json"]);
  });
});
