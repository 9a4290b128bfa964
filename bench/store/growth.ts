import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/index.ts";
import { alternate, type BenchRow, report, sized, timed } from "../harness.ts";
import { atMost, ENGINES } from "../rows.ts";
import { CONTENT } from "./bare.ts";
import { fill } from "./fill.ts";

const LARGE = sized(1_000_000, 2000);
const SMALL = sized(1000, 100);
const message = { role: "user", content: CONTENT } as const;

const grown = new Map<string, Promise<string>>();

/** The id of a conversation of a million messages. It is made once for all rows. */
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
  for (const engine of ENGINES) {
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
    const work = `durable append number 1,000,000 against number 1,000, ${engine}`;
    rows.push(atMost(work, times.late, times.early, 1.2));
  }
  return rows;
}

/** Reads the gigabyte in a separate process, so that nothing else counts. */
export async function streaming(folder: string): Promise<BenchRow[]> {
  const place = target("jsonl", folder, "large");
  const id = await grow(place);
  const child = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("./stream-child.ts", import.meta.url)), place, id],
    { encoding: "utf8" },
  );
  if (child.status !== 0) throw new Error(child.stderr);
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
