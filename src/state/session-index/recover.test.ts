import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentFolder, entry } from "../../../test/support/agent-folder.ts";
import { processorMs } from "../../../test/support/processes/processor-time.ts";
import { type FileIo, systemIo } from "../../disk/file-io.ts";
import { writeDocument } from "./document.ts";
import { loadSessionStore } from "./load.ts";
import { patchSessionEntry } from "./patch.ts";
import { saveSessionStore } from "./save.ts";

const ID = "0198c0de-1111-7222-8333-444455556666";

/** Transcripts as three programs write them. */
function fill(folder: AgentFolder): void {
  folder.write(
    "20250121193000001.jsonl",
    `{"_type":"metadata","version":2,"id":"${ID}","key":"discord:dm:42","created_at":"2025-01-21T19:30:00.001Z"}
{"role":"user","content":"Hello","timestamp":"2025-01-21T19:30:05.000Z"}\n`,
  );
  folder.write(
    "abc.jsonl",
    `{"type":"session","id":"abc","timestamp":"2025-02-01T00:00:00.000Z"}
{"type":"message","timestamp":"2025-02-01T00:00:09.000Z","message":{"role":"assistant","model":"claude-opus-4-6","provider":"anthropic"}}
{"type":"message","timest`,
  );
  folder.write("plain.jsonl", '{"role":"user","content":"Hi","timestamp":1740000000000}\n');
  folder.write("abc.checkpoint.1.jsonl", "{}\n");
}

const FOUND = {
  "discord:dm:42": entry(ID, Date.UTC(2025, 0, 21, 19, 30, 5), { sessionFile: "20250121193000001.jsonl" }),
  "recovered:abc": entry("abc", Date.UTC(2025, 1, 1, 0, 0, 9), {
    sessionFile: "abc.jsonl",
    model: "claude-opus-4-6",
    modelProvider: "anthropic",
  }),
  "recovered:plain": entry("plain", 1_740_000_000_000, { sessionFile: "plain.jsonl" }),
};

function aside(folder: AgentFolder): string[] {
  return folder.names().filter((name) => name.startsWith("sessions.json.damaged-"));
}

describe("a damaged index", () => {
  it.each([
    ["of zero bytes", ""],
    ["of zeros", "\0".repeat(100)],
    ["that is no JSON", "oops"],
    ["that is a list", "[]"],
  ])("%s is set aside and rebuilt from the transcripts", (_, content) => {
    using folder = new AgentFolder();
    fill(folder);
    folder.write("sessions.json", content);
    expect(loadSessionStore({ agentDir: folder.agentDir })).toEqual(FOUND);
    expect(folder.read()).toEqual(FOUND);
    expect(aside(folder)).toHaveLength(1);
    expect(aside(folder)[0]).toMatch(/^sessions\.json\.damaged-\d{17}$/);
    expect(readFileSync(join(folder.agentDir, "sessions", aside(folder)[0] as string), "utf8")).toBe(content);
    loadSessionStore({ agentDir: folder.agentDir, cacheTtlMs: 0 });
    expect(aside(folder)).toHaveLength(1);
  });

  it("that is missing is rebuilt from the transcripts", () => {
    using folder = new AgentFolder();
    fill(folder);
    expect(loadSessionStore({ agentDir: folder.agentDir })).toEqual(FOUND);
    expect(aside(folder)).toEqual([]);
  });

  it.each([undefined, 2])("that is cut in half keeps the entries of the first half (indent %s)", (indent) => {
    using folder = new AgentFolder();
    fill(folder);
    const entries = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [
        `cli:${n}`,
        entry(`id${n}`, n, { label: `}",{ ${n}`, origin: { a: {} } }),
      ]),
    );
    const known = { "discord:dm:7": entry("abc", 5, { thinkingLevel: "high" }), ...entries };
    const text =
      indent === undefined
        ? writeDocument({ entries: known, others: {} })
        : JSON.stringify(known, null, indent);
    writeFileSync(folder.path, text);
    truncateSync(folder.path, text.length >> 1);
    const store = loadSessionStore({ agentDir: folder.agentDir });
    expect(Object.keys(store).filter((key) => key.startsWith("cli:")).length).toBeGreaterThanOrEqual(8);
    expect(store["cli:1"]).toEqual(entries["cli:1"]);
    // The transcript of a key that is still known is not found twice.
    expect(store["discord:dm:7"]).toEqual(known["discord:dm:7"]);
    expect(store["recovered:abc"]).toBeUndefined();
    expect(store["discord:dm:42"]).toEqual(FOUND["discord:dm:42"]);
  });

  it("with one bad line loses only that line", () => {
    using folder = new AgentFolder();
    const entries = { "cli:a": entry("a", 1), "cli:b": entry("b", 1), "cli:c": entry("c", 1) };
    folder.write("sessions.json", writeDocument({ entries, others: {} }).toString().replace('"b"', '"b'));
    const { "cli:b": _, ...others } = entries;
    expect(loadSessionStore({ agentDir: folder.agentDir })).toEqual(others);
  });

  it("that is large and broken everywhere does not take long", async () => {
    using folder = new AgentFolder();
    folder.write("sessions.json", '{"a":{'.repeat(300_000));
    const load = (): void => expect(loadSessionStore({ agentDir: folder.agentDir })).toEqual({});
    expect(await processorMs(load)).toBeLessThan(10_000);
  });

  it("is also set aside by a change", async () => {
    using folder = new AgentFolder();
    fill(folder);
    folder.write("sessions.json", "");
    await patchSessionEntry({
      agentDir: folder.agentDir,
      sessionKey: "discord:dm:42",
      patch: { label: "x" },
    });
    expect(folder.read()).toMatchObject({ ...FOUND, "discord:dm:42": { sessionId: ID, label: "x" } });
    expect(aside(folder)).toHaveLength(1);
  });

  it("in a folder of another program is only read", () => {
    using folder = new AgentFolder();
    fill(folder);
    folder.write("sessions.json", "");
    const names = folder.names();
    expect(loadSessionStore({ agentDir: folder.agentDir, readonly: true })).toEqual(FOUND);
    expect(folder.names()).toEqual(names);
  });

  it("that cannot be rewritten can still be used", () => {
    using folder = new AgentFolder();
    fill(folder);
    folder.write("sessions.json", "");
    const problems: string[] = [];
    const io: FileIo = {
      ...systemIo,
      rename: () => {
        throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS", syscall: "rename" });
      },
    };
    const store = loadSessionStore({
      agentDir: folder.agentDir,
      io,
      onProblem: ({ code }) => problems.push(code),
    });
    expect(store).toEqual(FOUND);
    expect(problems).toEqual(["SERVICE_UNAVAILABLE"]);
    expect(readFileSync(folder.path, "utf8")).toBe("");
    expect(folder.names().filter((name) => name.startsWith("."))).toEqual([]);
  });
});

describe("an index that another program is writing", () => {
  it("is read again until it is complete", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    await saveSessionStore({ agentDir, store: { "cli:x": entry("a", 1) } });
    const whole = readFileSync(folder.path);
    truncateSync(folder.path, 10);
    let reads = 0;
    const io: FileIo = {
      ...systemIo,
      open(path, mode) {
        if (path === folder.path && mode === "read" && ++reads === 3) writeFileSync(path, whole);
        return systemIo.open(path, mode);
      },
    };
    const startMs = performance.now();
    expect(loadSessionStore({ agentDir, io })).toEqual({ "cli:x": entry("a", 1) });
    expect(performance.now() - startMs).toBeGreaterThan(95);
    expect(reads).toBe(3);
    expect(folder.names()).toEqual(["sessions.json"]);
  });
});
