/** What is read of the files beside a fork. */
import { describe, expect, it } from "vitest";
import { collectGarbage } from "../../../../../test/support/collect-garbage.ts";
import { surroundings } from "../../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../../util/json.ts";
import type { SourceRecord, Surroundings } from "../../../contract/reader.ts";
import { FoundBefore } from "../../../import/forks/found-before.ts";
import { claudeBase } from "./base.ts";

const boundary = {
  ...{ type: "system", subtype: "compact_boundary", uuid: "boundary", parentUuid: null },
  ...{ sessionId: "fork", logicalParentUuid: "last" },
};

function prompt(uuid: string, parentUuid: string | null): JsonObject {
  return { type: "user", uuid, parentUuid, sessionId: "session", message: { role: "user", content: uuid } };
}

function textOf(...lines: readonly JsonObject[]): string {
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

/** The files beside one of them, and the names of those that were opened and of folders that were listed. */
function folderOf(
  files: Readonly<Record<string, string>>,
  own = "fork.jsonl",
  opened: string[] = [],
): Surroundings & { readonly opened: string[] } {
  const around = surroundings(`/project/${own}`, files);
  const note = (name: string): void => void opened.push(name);
  return {
    ...around,
    opened,
    async list(folder) {
      note(folder);
      return Object.keys(files).sort();
    },
    read(name) {
      note(name);
      return around.read(name);
    },
    records(name) {
      note(name);
      return around.records(name);
    },
  };
}

/** Records of a large file, and how many of them are in memory when it ends. */
class LargeFile {
  held = 0;

  async *records(): AsyncGenerator<SourceRecord> {
    const seen: WeakRef<JsonObject>[] = [];
    for (let line = 1; line <= 1000; line++) {
      const value = { ...prompt(`${line}`, null), isSidechain: true };
      seen.push(new WeakRef(value));
      yield { value, line, offset: null };
    }
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    this.held = Math.max(this.held, seen.filter((one) => one.deref() !== undefined).length);
  }
}

describe("the session of a fork that was made after a compaction", () => {
  it("is the file with the line that the fork follows", async () => {
    const session = textOf(prompt("first", null), prompt("last", "first"));
    const around = folderOf({ "fork.jsonl": textOf(boundary), "other.jsonl": "", "session.jsonl": session });
    expect(await claudeBase([boundary], around, new FoundBefore())).toMatchObject({
      file: { name: "session.jsonl", root: "first" },
      sourceId: "fork",
      alone: "boundary",
    });
  });

  it("is not looked for in the transcripts of sub-agents", async () => {
    const agent = textOf({ ...prompt("last", null), isSidechain: true });
    const around = folderOf({ "agent-1a2b3c4d.jsonl": agent, "fork.jsonl": textOf(boundary) });
    expect(await claudeBase([boundary], around, new FoundBefore())).toMatchObject({
      file: undefined,
      awaits: "last",
    });
    expect(around.opened).not.toContain("agent-1a2b3c4d.jsonl");
  });

  it("is looked for without keeping the records of large files", async () => {
    const large = new LargeFile();
    const around: Surroundings = {
      ...surroundings("/project/fork.jsonl"),
      list: async () => ["large.jsonl"],
      records: () => large.records(),
    };
    expect(await claudeBase([boundary], around, new FoundBefore())).toMatchObject({ awaits: "last" });
    expect(large.held).toBeLessThan(10);
  });
});

describe("a chain of sessions, each a /branch of the one before", () => {
  const lines = Array.from({ length: 100 }, (_, number) => {
    const forkedFrom = { sessionId: `s${number - 1}`, messageUuid: "first" };
    return { ...prompt("first", null), sessionId: `s${number}`, ...(number > 0 && { forkedFrom }) };
  });
  const files = Object.fromEntries(lines.map((line, number) => [`s${number}.jsonl`, textOf(line)]));

  it.each([
    ["oldest", lines],
    ["newest", lines.toReversed()],
  ])("is read once, %s first", async (_, inOrder) => {
    const findings = new FoundBefore();
    const opened: string[] = [];
    for (const line of inOrder) {
      const base = await claudeBase([line], folderOf(files, `${line.sessionId}.jsonl`, opened), findings);
      const isFirst = line === lines[0];
      expect(base).toEqual(isFirst ? undefined : expect.objectContaining({ sourceId: line.sessionId }));
    }
    expect(opened).toHaveLength(new Set(opened).size);
  });

  it("is read again where it has changed", async () => {
    const findings = new FoundBefore();
    const [fork = {}] = lines.slice(1);
    const rootOf = async (session: JsonObject): Promise<string | undefined> => {
      const around = folderOf({ "s0.jsonl": textOf(session) }, "s1.jsonl");
      return (await claudeBase([fork], around, findings))?.file?.root;
    };
    expect(await rootOf(prompt("first", null))).toBe("first");
    expect(await rootOf(prompt("other", null))).toBe("other");
  });
});

describe("a chain of forks that were made after compactions", () => {
  it("searches the folder once for each of them, and each file once for each line", async () => {
    const lines = Array.from({ length: 20 }, (_, number) =>
      number === 0
        ? [prompt("first", null), prompt("last0", "first")]
        : [
            { ...boundary, uuid: `boundary${number}`, logicalParentUuid: `last${number - 1}` },
            prompt(`last${number}`, `boundary${number}`),
          ],
    );
    const files = Object.fromEntries(lines.map((all, number) => [`s${number}.jsonl`, textOf(...all)]));
    const findings = new FoundBefore();
    const opened: string[] = [];
    for (const [number, [first = {}]] of lines.entries()) {
      const around = folderOf(files, `s${number}.jsonl`, opened);
      const root = (await claudeBase([first], around, findings))?.file?.root;
      expect(root).toBe(number === 0 ? undefined : "first");
    }
    expect(opened.filter((name) => name === ".")).toHaveLength(19);
    expect(opened.length).toBeLessThan(20 * 20 + 2 * 20);
  });
});
