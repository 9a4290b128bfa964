/** What is read of the files beside a fork. */
import { describe, expect, it } from "vitest";
import { collectGarbage } from "../../../../test/support/collect-garbage.ts";
import { surroundings } from "../../../../test/support/samples/recording-sink.ts";
import type { JsonObject } from "../../../util/json.ts";
import type { SourceRecord, Surroundings } from "../../contract/reader.ts";
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

/** The files beside `fork.jsonl`, and the names of those that were read. */
function folderOf(files: Readonly<Record<string, string>>): Surroundings & { readonly opened: string[] } {
  const opened: string[] = [];
  const around = surroundings("/project/fork.jsonl", files);
  return {
    ...around,
    opened,
    list: async () => Object.keys(files).sort(),
    read(name) {
      opened.push(name);
      return around.read(name);
    },
    records(name) {
      opened.push(name);
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
    expect(await claudeBase([boundary], around)).toMatchObject({
      file: { name: "session.jsonl", root: "first" },
      sourceId: "fork",
      alone: "boundary",
    });
  });

  it("is not looked for in the transcripts of sub-agents", async () => {
    const agent = textOf({ ...prompt("last", null), isSidechain: true });
    const around = folderOf({ "agent-1a2b3c4d.jsonl": agent, "fork.jsonl": textOf(boundary) });
    expect(await claudeBase([boundary], around)).toMatchObject({
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
    expect(await claudeBase([boundary], around)).toMatchObject({ awaits: "last" });
    expect(large.held).toBeLessThan(10);
  });
});
