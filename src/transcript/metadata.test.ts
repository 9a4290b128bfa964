import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemIo } from "../disk/file-io.ts";
import { EMPTY_LOG } from "./log-state.ts";
import { backupOf, decodeMetadata, encodeMetadata, type Metadata, readMetadata } from "./metadata.ts";

const AT = "2026-01-01T00:00:00.000Z";
const METADATA: Metadata = {
  id: "c1",
  key: "cli:a",
  title: "Träume “and” ☕ ",
  channel: "cli",
  model: "m",
  profileId: "p",
  contextState: { strategy: "sandwich", range: [1, 2] },
  compactionCount: 3,
  createdAt: AT,
  updatedAt: AT,
  deletedAt: AT,
  log: {
    ...{ ...EMPTY_LOG, bytes: 900, lastSeq: 9, last: "e9", head: "e9" },
    ...{ entries: 8, messages: 7, lastMessageAt: AT, blobs: 2 },
  },
  treeless: false,
  foreign: false,
  other: { from_the_future: { kept: true } },
};

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-metadata-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "metadata.json");
}

describe("metadata", () => {
  it("survives a round trip, with properties that this version does not know", () => {
    expect(decodeMetadata(encodeMetadata(METADATA))).toEqual(METADATA);
  });

  it("detects every single flipped bit, or reads what was written", () => {
    const bytes = encodeMetadata(METADATA);
    for (let bit = 0; bit < (bytes.length - 1) * 8; bit++) {
      const copy = Buffer.from(bytes);
      copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
      const read = decodeMetadata(copy);
      // A broken checksum counts as a missing one: the strings are used, the counts are not.
      if (typeof read === "object" && "log" in read) expect(read.log).toEqual(EMPTY_LOG);
    }
  });

  it("without a checksum is trusted for its texts, not for its counts", () => {
    const { _sum, ...plain } = JSON.parse(encodeMetadata(METADATA).toString());
    const read = decodeMetadata(Buffer.from(JSON.stringify({ ...plain, title: "By hand" }, null, 2)));
    expect(read).toMatchObject({ title: "By hand", model: "m", log: EMPTY_LOG });
  });

  it.each([
    ["empty", ""],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["zeros", "\0".repeat(300)],
  ])("that is %s returns a reason and does not throw", (_, text) => {
    expect(decodeMetadata(Buffer.from(text))).toBeTypeOf("string");
  });

  it("that is missing or damaged is replaced by the version before it", () => {
    const path = newPath();
    writeFileSync(backupOf(path), encodeMetadata({ ...METADATA, title: "before" }));
    expect(readMetadata(systemIo, path)).toMatchObject({ found: { title: "before" }, from: "backup" });
    expect(readMetadata(systemIo, path).damage).toBeUndefined();
    writeFileSync(path, "{ torn");
    expect(readMetadata(systemIo, path)).toMatchObject({
      found: { title: "before" },
      damage: expect.any(String),
    });
    writeFileSync(path, encodeMetadata(METADATA));
    expect(readMetadata(systemIo, path)).toMatchObject({ found: METADATA, from: "file" });
  });

  it("of another program is read for its texts, even if it does not name the conversation", () => {
    const path = newPath();
    writeFileSync(path, JSON.stringify({ id: 7, title: "By hand", pinned: true }));
    expect(readMetadata(systemIo, path)).toMatchObject({
      ...{ found: undefined, damage: undefined },
      described: { title: "By hand", model: null, other: { pinned: true } },
    });
    writeFileSync(backupOf(path), encodeMetadata({ ...METADATA, title: "before" }));
    expect(readMetadata(systemIo, path)).toMatchObject({
      ...{ from: "backup", damage: undefined },
      found: { id: METADATA.id, title: "By hand", model: "m", other: { pinned: true } },
    });
  });

  it("that is missing is undefined, and a folder in its place is damage", () => {
    const path = newPath();
    expect(readMetadata(systemIo, path)).toEqual({ found: undefined, damage: undefined });
    mkdirSync(path);
    expect(readMetadata(systemIo, path)).toMatchObject({ found: undefined, damage: "it is a folder" });
  });
});
