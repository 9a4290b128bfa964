import { describe, expect, it } from "vitest";
import { Dice } from "../../test/sim/dice.ts";
import { SimulatedDisk } from "../../test/sim/simulated-disk.ts";
import { type EntryDraft, encodeEntry, encodeHeader } from "./lines.ts";
import { advance, EMPTY_LOG } from "./log-state.ts";
import { type Rewritten, rewriteLog } from "./rewrite.ts";

const LOG = "/chat/log.jsonl";
const AT = "2026-01-01T00:00:00.000Z";
const HEADER = encodeHeader({ id: "c1", key: null, createdAt: AT, generation: 1 });

function draft(number: number, text = `text ${number}`): EntryDraft {
  return {
    id: `e${number}`,
    kind: "message",
    at: AT,
    json: JSON.stringify({ role: "user", content: text }),
  };
}

function line(number: number, batch?: readonly [number, number], text?: string): Buffer {
  return encodeEntry(draft(number, text), {
    ...{ seq: number, parentId: number === 1 ? null : `e${number - 1}`, branch: number > 3 ? 3 : 0 },
    ...{ operationId: batch && "op", batch },
  });
}

function diskWith(...lines: Buffer[]): SimulatedDisk {
  const disk = new SimulatedDisk(new Dice(1));
  disk.place(LOG, Buffer.concat([HEADER, ...lines]));
  return disk;
}

function rewritten(disk: SimulatedDisk, transform: (id: string) => Rewritten): Buffer {
  const { size } = disk.stat(LOG) as { size: number };
  rewriteLog(disk, new Dice(2).fill, LOG, size, ({ id }) => transform(id), null);
  return disk.content(LOG);
}

function idsIn(disk: SimulatedDisk): string[] {
  const ids: string[] = [];
  const file = disk.open(LOG, "read");
  advance(disk, file, EMPTY_LOG, disk.statOpen(file).size, { entry: ({ id }) => ids.push(id) });
  disk.close(file);
  return ids;
}

describe("a rewritten log", () => {
  it("keeps lines byte for byte, drops them, or replaces them", () => {
    const disk = diskWith(line(1), line(2), line(3), line(4));
    const other = line(3, undefined, "other");
    const content = rewritten(disk, (id) => (id === "e2" ? "drop" : id === "e3" ? other : "keep"));
    expect(content).toEqual(Buffer.concat([HEADER, line(1), other, line(4)]));
    expect(disk.openFiles).toBe(0);
  });

  it("keeps unreadable lines", () => {
    const damaged = Buffer.from(line(2));
    damaged[20] = 0;
    const foreign = Buffer.from("not ours\r\n\n");
    const disk = diskWith(line(1), damaged, foreign, line(3));
    const content = rewritten(disk, (id) => (id === "e1" ? "drop" : "keep"));
    expect(content).toEqual(Buffer.concat([HEADER, damaged, foreign, line(3)]));
  });

  it("has no batches, because an append that lacks a line would look torn", () => {
    const crlf = Buffer.concat([line(3, [3, 4]).subarray(0, -1), Buffer.from("\r\n")]);
    const disk = diskWith(line(1, [1, 4]), line(2, [2, 4]), crlf, line(4, [4, 4]));
    const content = rewritten(disk, (id) => (id === "e4" ? "drop" : "keep")).toString();
    expect(content).not.toContain("batch");
    expect(content.match(/"op":"op"/g)).toHaveLength(3);
    expect(idsIn(disk)).toEqual(["e1", "e2", "e3"]);
  });

  it("is complete or absent, wherever the power fails", () => {
    for (let crashAt = 1; crashAt <= 8; crashAt++) {
      for (let seed = 0; seed < 20; seed++) {
        const disk = new SimulatedDisk(new Dice(seed));
        disk.place(LOG, Buffer.concat([HEADER, line(1), line(2)]));
        disk.faults.crashAt = crashAt;
        let isDone = false;
        try {
          rewritten(disk, (id) => (id === "e1" ? "drop" : "keep"));
          isDone = true;
        } catch {
          // The power failed.
        }
        const ids = idsIn(disk.crash());
        if (isDone) expect(ids).toEqual(["e2"]);
        else expect([["e2"], ["e1", "e2"]]).toContainEqual(ids);
      }
    }
  });
});
