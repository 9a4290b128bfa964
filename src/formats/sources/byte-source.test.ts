import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openBytes } from "./byte-source.ts";

function file(bytes: Buffer | string): string {
  const path = join(tempFolder(), "file");
  writeFileSync(path, bytes);
  return path;
}

/** What comes, and the problem that ends it. */
async function read(path: string, from?: number): Promise<{ text: string; problem: unknown }> {
  const source = await openBytes(path);
  const parts: Buffer[] = [];
  let problem: unknown;
  try {
    for await (const chunk of source.chunks(from)) parts.push(Buffer.from(chunk));
  } catch (error) {
    problem = (error as { details?: { problem: string } }).details?.problem;
  }
  await source.close();
  return { text: Buffer.concat(parts).toString("latin1"), problem };
}

/** Text that does not compress well, so that half of it is more than one block. */
const noise = Buffer.from(
  Array.from(
    { length: 3_000_000 },
    (_, index) => (Math.imul(index ^ (index >> 7), 2654435761) >>> 24) & 0x7f,
  ),
).toString("latin1");

describe("the bytes of a file", () => {
  it("come as they are, from any offset", async () => {
    const path = file(noise);
    expect((await read(path)).text === noise).toBe(true);
    expect((await read(path, 1_234_567)).text === noise.slice(1_234_567)).toBe(true);
    expect((await read(path, 5_000_000)).text).toBe("");
    expect((await read(file(""))).text).toBe("");
  });

  it.each([
    ["zstd", (data: string) => zstdCompressSync(data)],
    ["gzip", (data: string) => gzipSync(data)],
  ])("come unpacked from %s, whatever its name, also of several frames", async (_, pack) => {
    const path = file(Buffer.concat([pack(noise), pack("second"), pack("third")]));
    const { text, problem } = await read(path);
    expect(text === `${noise}secondthird`).toBe(true);
    expect(problem).toBeUndefined();
    expect((await read(path, noise.length + 3)).text).toBe("ondthird");
  });

  it("can be read again and again, and stopped in the middle", async () => {
    const source = await openBytes(file(zstdCompressSync(noise)));
    for (let round = 0; round < 3; round++) {
      for await (const chunk of source.chunks()) {
        expect(chunk.toString("latin1")).toBe(noise.slice(0, chunk.length));
        break;
      }
    }
    await source.close();
  });

  it.each([
    ["zstd", zstdCompressSync(noise)],
    ["gzip", gzipSync(noise)],
  ])("that were packed by %s and are cut off come as far as they go, then a problem", async (_, packed) => {
    const { text, problem } = await read(file(packed.subarray(0, packed.length / 2)));
    expect(text.length).toBeGreaterThan(noise.length / 4);
    expect(noise.startsWith(text)).toBe(true);
    expect(problem).toBe("cut-off");
  });

  it("that are damaged in the middle come as far as they go, then a problem", async () => {
    const packed = zstdCompressSync(noise);
    packed.fill(0xff, packed.length / 2, packed.length / 2 + 3000);
    const { text, problem } = await read(file(packed));
    expect(text.length).toBeGreaterThan(noise.length / 8);
    expect(problem).toBe("damaged");
  });

  it("that unpack to a thousand times as much are refused", async () => {
    const { text, problem } = await read(file(zstdCompressSync(Buffer.alloc(150_000_000))));
    expect(problem).toBe("too-large");
    expect(text.length).toBeLessThan(110_000_000);
  });
});
