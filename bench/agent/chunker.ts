import { chunk } from "../../src/agent/chunker/index.ts";
import { alternate, type BenchRow, report, sized } from "../harness.ts";

const CHARS = sized(10_000_000, 10_000);
const REACH_MB = 50;

const SENTENCE = "It was a bright cold day in April, and the clocks were striking thirteen. Was it? Yes! ";
const CODE = "```ts\nconst answer = 42;\n\nconsole.log(answer);\n```\n\n";

/** An answer as models write them, and texts without a place to cut. */
const TEXTS: readonly (readonly [name: string, part: string])[] = [
  ["paragraphs, lists and code", `## Title\n\n${SENTENCE.repeat(4)}\n\n${"- one item\n".repeat(8)}\n${CODE}`],
  ["code in one block", `~~~\n${"const a = b;\n".repeat(1000)}~~~\n`],
  ["one line without a space", "x"],
  ["Japanese", "吾輩は猫である。名前はまだ無い。"],
];

/** Text in MB of UTF-8 that is cut into chunks in a second of processor time: nothing is waited for. */
export async function chunker(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, part] of TEXTS) {
    const text = part.repeat(Math.ceil(CHARS / part.length));
    const bytes = Buffer.byteLength(text);
    const { ours } = await alternate({ ours: () => processorTime(() => chunk(text)) }, 5);
    const speed = bytes / ours;
    rows.push(
      report({
        work: `chunker, ${name}, processor time`,
        ours: `${speed.toFixed(0)} MB/s`,
        bare: "–",
        value: `${speed.toFixed(0)} MB/s`,
        reach: `≥ ${REACH_MB} MB/s`,
        ok: speed >= REACH_MB,
      }),
    );
  }
  return rows;
}

/** In microseconds. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
