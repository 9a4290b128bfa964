import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/index.ts";
import { alternate, type BenchRow, microseconds, report, timed } from "../harness.ts";
import { CONTENT } from "./bare.ts";
import { fill } from "./fill.ts";

const LARGE = 1_000_000;
const SMALL = 1000;
const message = { role: "user", content: CONTENT } as const;

const grown = new Map<string, Promise<string>>();

/** A store with one conversation of a million messages; its id. Made once for all rows. */
function grow(target: string): Promise<string> {
  const known = grown.get(target) ?? makeLarge(target);
  grown.set(target, known);
  return known;
}

async function makeLarge(target: string): Promise<string> {
  console.log(`     (writing 1 GB to ${target.split(":")[0]})`);
  await using store = await openStore(target, { durability: "process" });
  const chat = await store.create();
  await fill(chat, LARGE);
  return chat.id;
}

const target = (engine: string, folder: string, size: string): string =>
  `${engine}:${join(folder, `growth-${size}-${engine}`)}`;

export async function growth(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ["sqlite", "jsonl"]) {
    const id = await grow(target(engine, folder, "large"));
    await using large = await openStore(target(engine, folder, "large"));
    await using small = await openStore(target(engine, folder, "small"));
    const late = await large.get(id);
    const early = await small.create();
    await fill(early, SMALL);
    const times = await alternate({
      early: () => timed(200, () => early.append(message)),
      late: () => timed(200, () => late?.append(message)),
    });
    const ratio = times.late / times.early;
    rows.push(
      report({
        work: `durable append number 1,000,000 against number 1,000, ${engine}`,
        ours: microseconds(times.late),
        bare: microseconds(times.early),
        value: `${ratio.toFixed(2)} ×`,
        reach: "≤ 1.2 ×",
        ok: ratio <= 1.2,
      }),
    );
  }
  return rows;
}

/** Reading the gigabyte in a process of its own, so that nothing else counts. */
export async function streaming(folder: string): Promise<BenchRow[]> {
  const place = target("jsonl", folder, "large");
  const id = await grow(place);
  const child = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("./stream-child.ts", import.meta.url)), place, id],
    {
      encoding: "utf8",
    },
  );
  const { extraBytes, seconds, bytes } = JSON.parse(child.stdout);
  return [
    report({
      work: "memory for reading a 1 GB transcript as a stream, jsonl",
      ours: `${(extraBytes / 1e6).toFixed(0)} MB`,
      bare: `${(bytes / 1e9).toFixed(2)} GB in ${seconds.toFixed(1)} s`,
      value: `${(extraBytes / 1e6).toFixed(0)} MB`,
      reach: "≤ 150 MB extra",
      ok: extraBytes <= 150e6,
    }),
  ];
}
