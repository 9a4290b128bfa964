/** The least that any import must do: read the bytes, split them, parse each line. */
import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CHUNK_BYTES = 1 << 20;

/** Returns the number of values, so that nothing can be left out. */
export async function readAndParse(folder: string): Promise<number> {
  let count = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".jsonl")) count += await parseLines(join(folder, name));
    else if (name.endsWith(".json"))
      count += (JSON.parse(readFileSync(join(folder, name), "utf8")) as unknown[]).length;
  }
  return count;
}

async function parseLines(path: string): Promise<number> {
  let count = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      JSON.parse(bytes.toString("utf8", start, end));
      count++;
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  return count;
}
