import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { type FileIo, systemIo } from "../disk/file-io.ts";
import { checkSum, decodeLine, encodeEntry, encodeHeader, sealObject } from "./lines.ts";
import { advance, EMPTY_LOG } from "./log-state.ts";

const AT = "2026-01-01T00:00:00.000Z";
const HEADER = encodeHeader({ id: "c1", key: "cli:a", createdAt: AT, generation: 1 });

function line(number: number, content: string, batch?: readonly [number, number]): Buffer {
  const json = JSON.stringify({ role: "user", content });
  const place = {
    seq: number,
    parentId: number === 1 ? null : `e${number - 1}`,
    operationId: undefined,
    batch,
  };
  return encodeEntry({ id: `e${number}`, kind: "message", at: AT, json }, place);
}

/** Only reading is needed to scan. */
function ioOver(bytes: Buffer): FileIo {
  return {
    ...systemIo,
    read: (_file, into, position) => bytes.copy(into, 0, position, position + into.length),
  };
}

/** The real scanner over these bytes: is every line good, and every byte part of one? */
function isWhole(bytes: Buffer): boolean {
  let bad = 0;
  const state = advance(ioOver(bytes), 0, EMPTY_LOG, bytes.length, { bad: () => bad++ });
  return bad === 0 && state.bytes === bytes.length;
}

describe("a line", () => {
  it("survives a round trip, whatever the message contains", () => {
    const message = fc.record({
      role: fc.constantFrom("user", "assistant", "system"),
      content: fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(fc.record({ type: fc.constant("text"), text: fc.string({ unit: "grapheme" }) }), {
          maxLength: 3,
        }),
      ),
    });
    fc.assert(
      fc.property(message, fc.string({ maxLength: 20 }), fc.nat(), fc.nat(3), (value, id, seq, branch) => {
        const json = JSON.stringify(value);
        const place = { seq, parentId: id, branch, operationId: id, batch: [1, 2] as const };
        const blobs = [{ hash: "ab", size: 9, path: ["content", 0, id], as: "text" as const }];
        const encoded = encodeEntry({ id, kind: "message", at: AT, json, blobs }, place);
        expect(encoded.indexOf(0x0a)).toBe(encoded.length - 1);
        expect(decodeLine(encoded.subarray(0, -1))).toEqual({
          ok: true,
          entry: {
            id,
            seq,
            parentId: id,
            kind: "message",
            at: AT,
            message: JSON.parse(json),
            operationId: id,
            blobs,
          },
          branch,
          batch: [1, 2],
        });
      }),
      { numRuns: 200 },
    );
  });

  it("of any kind, even an unknown one, keeps its data", () => {
    const place = { seq: 3, parentId: "e2", operationId: undefined, batch: undefined };
    const encoded = encodeEntry({ id: "e3", kind: "from-the-future", at: AT, json: '{"a":[1]}' }, place);
    expect(decodeLine(encoded.subarray(0, -1))).toMatchObject({
      ok: true,
      entry: { id: "e3", seq: 3, parentId: "e2", kind: "from-the-future", data: { a: [1] } },
    });
  });

  const good = line(1, "hello").subarray(0, -1);
  it.each([
    ["empty", Buffer.alloc(0), "no checksum"],
    ["without a checksum", Buffer.from('{"role":"user","content":"x","id":"a","seq":1}'), "no checksum"],
    ["with a digit of the checksum changed", swap(good, good.length - 3), "checksum does not match"],
    [
      "with its checksum in capitals",
      Buffer.from(good.toString().replace(/[a-f](?=[0-9a-f]*"}$)/, (d) => d.toUpperCase())),
      "checksum does not match",
    ],
    ["cut in the middle", good.subarray(0, 30), "no checksum"],
    ["with one byte too many", Buffer.concat([good, Buffer.from(" ")]), "no checksum"],
    [
      "that is no entry",
      sealObject({ hello: 1 }).subarray(0, -1),
      "not an entry: id, seq or timestamp is missing",
    ],
    [
      "that is a header of version 1",
      sealObject({ _type: "metadata", version: 1 }).subarray(0, -1),
      "not a header of version 2",
    ],
  ])("%s is refused with a reason and never throws", (_, bytes, reason) => {
    expect(decodeLine(bytes)).toEqual({ ok: false, reason });
  });

  it("of a newer version is reported as such", () => {
    const newer = sealObject({ _type: "metadata", version: 3, id: "x", created_at: AT }).subarray(0, -1);
    expect(decodeLine(newer)).toMatchObject({ ok: false, newer: true });
  });

  it("is checked by its own checksum if its message contains one", () => {
    expect(checkSum(line(1, ',"_sum":"00000000"}').subarray(0, -1))).toBe("right");
  });
});

function swap(bytes: Buffer, index: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[index] = (copy[index] as number) === 0x30 ? 0x31 : 0x30;
  return copy;
}

describe("a transcript of 64 KiB", () => {
  const TEXTS = ["short", 'é👩‍👩‍👧\u2028 “quotes” \\ "', "x".repeat(900), "语".repeat(200)];

  /**
   * A flipped bit changes one byte, and lines are split on 0x0A and judged
   * one by one. So what the scanner says of the line with that byte (with the
   * next line too when the byte is the newline between them) does not depend
   * on the rest of the file, and scanning these is scanning the file. Half a
   * million scans of 64 KiB would take minutes.
   */
  it("shows every single flipped bit", () => {
    const lines = [HEADER];
    for (let number = 1, bytes = HEADER.length; bytes < 64 * 1024; number++) {
      const next = line(
        number,
        TEXTS[number % TEXTS.length] as string,
        number % 5 === 0 ? [1, 1] : undefined,
      );
      lines.push(next);
      bytes += next.length;
    }
    const missed: string[] = [];
    let flips = 0;
    lines.forEach((current, index) => {
      expect(isWhole(current)).toBe(true);
      const both = Buffer.concat([current, lines[index + 1] ?? Buffer.alloc(0)]);
      for (let bit = 0; bit < current.length * 8; bit++) {
        const at = bit >> 3;
        const scanned = at === current.length - 1 ? both : current;
        scanned[at] = (scanned[at] as number) ^ (1 << (bit & 7));
        if (isWhole(scanned)) missed.push(`line ${index + 1}, bit ${bit}`);
        scanned[at] = (scanned[at] as number) ^ (1 << (bit & 7));
        flips++;
      }
    });
    expect(flips).toBeGreaterThanOrEqual(64 * 1024 * 8);
    expect(missed).toEqual([]);
  });
});
