import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ImportReport } from "../../src/formats/import/report.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { DAMAGE_RUNS, damage, damaged, kept } from "../support/damage.ts";
import { fc } from "../support/fast-check.ts";
import { makeZip } from "../support/make-zip.ts";
import { tempFolder } from "../support/temp-folder.ts";

const TRANSCRIPT: Buffer = readFileSync("test/fixtures/codex/typed-lines.jsonl");
const OTHER: Buffer = readFileSync("test/fixtures/claude-code/compaction.jsonl");
const CHATS: Buffer = readFileSync("test/fixtures/chatgpt/conversations-with-branches.json");

async function imported(files: Readonly<Record<string, Buffer>>): Promise<[Set<string>, ImportReport]> {
  const folder = tempFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  await using store = await openStore("ephemeral:");
  const report = await importConversations(store, [folder]);
  return [await kept(store), report];
}

/** Long enough for several blocks, so that a part of it can be read without the rest. */
function longTranscript(): Buffer {
  const [header = "", ...lines] = TRANSCRIPT.toString().trimEnd().split("\n");
  const noise = Array.from({ length: 3000 }, (_, index) =>
    JSON.stringify({
      timestamp: "2026-02-03T10:00:00.000Z",
      type: "response_item",
      payload: {
        type: "message",
        role: "assistant",
        content: [
          { type: "output_text", text: `${index} ${Math.sin(index)} ${Math.cos(index * 7)}`.repeat(3) },
        ],
      },
    }),
  );
  return Buffer.from(`${[header, ...lines, ...noise].join("\n")}\n`);
}

const PACKED: readonly [string, (bytes: Buffer) => Buffer][] = [
  ["zst", (bytes) => zstdCompressSync(bytes)],
  ["gz", (bytes) => gzipSync(bytes)],
];

describe.each(PACKED)("a damaged .%s file", (ending, pack) => {
  it("never ends an import, and the files beside it are read", async () => {
    const [expected] = await imported({ "other.jsonl": OTHER });
    const packed = pack(TRANSCRIPT);
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 2 }), async (what) => {
        const broken = what.reduce(damaged, packed);
        const [found] = await imported({ [`a.jsonl.${ending}`]: broken, "other.jsonl": OTHER });
        expect([...expected].filter((record) => !found.has(record))).toEqual([]);
      }),
      { numRuns: DAMAGE_RUNS },
    );
  });

  it("is read up to the damage, and the report says that it is damaged", async () => {
    const long = longTranscript();
    const packed = pack(long);
    const [found, report] = await imported({
      [`a.jsonl.${ending}`]: packed.subarray(0, Math.floor(packed.length * 0.7)),
    });
    expect(report.skipped).toMatchObject([{ reason: expect.stringMatching(/cut off|ends|damaged/) }]);
    const lines = long.toString().trimEnd().split("\n");
    expect(found.size).toBeGreaterThan(lines.length / 4);
    expect(found.has(lines[5] ?? "")).toBe(true);
  });

  it("of which nothing can be read is reported", async () => {
    const packed = Buffer.from(pack(TRANSCRIPT)).fill(0xff, 6);
    const [found, report] = await imported({ [`a.jsonl.${ending}`]: packed });
    expect(found.size).toBe(0);
    expect(report.skipped).toHaveLength(1);
  });
});

describe("a damaged zip", () => {
  const members = { "conversations.json": CHATS, "a.jsonl": TRANSCRIPT, "b.jsonl": OTHER };
  const zip = makeZip(Object.entries(members).map(([name, data]) => ({ name, data })));

  it("never ends an import, and the files beside it are read", async () => {
    const [expected] = await imported({ "other.jsonl": OTHER });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 2 }), async (what) => {
        const [found] = await imported({ "a.zip": what.reduce(damaged, zip), "other.jsonl": OTHER });
        expect([...expected].filter((record) => !found.has(record))).toEqual([]);
      }),
      { numRuns: DAMAGE_RUNS },
    );
  });

  it("loses only the damaged member, which is reported", async () => {
    const [expected] = await imported({ "a.jsonl": TRANSCRIPT, "b.jsonl": OTHER });
    const broken = Buffer.from(zip);
    broken.fill(0xff, 60, 90);
    const [found, report] = await imported({ "a.zip": broken });
    expect([...expected].filter((record) => !found.has(record))).toEqual([]);
    expect(report.skipped).toMatchObject([{ source: expect.stringContaining("a.zip!conversations.json") }]);
  });
});
