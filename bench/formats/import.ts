import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BenchRow, median, report, sized } from "../harness.ts";
import { installCommand } from "../installed-command.ts";
import { readAndParse } from "./bare.ts";
import { appendLine, writeCorpus, writeLongFile, writeSmall } from "./corpus.ts";
import { Words } from "./words.ts";

const GIGABYTE = 1_000_000_000;
const RATE_REACH = 40;
const RATIO_REACH = 0.15;
const AGAIN_REACH_MS = 500;
const STORE_REACH = 1.1;
const SESSIONS_REACH = 60;
const SMALL_REACH = 30;
/** A pass of `--watch` over a file with one more line, against importing the file. */
const GROWN_REACH = 0.1;
const MEMORY_REACH = 300;

interface Imported {
  readonly ms: number;
  /** Of all threads. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly messages: number;
  readonly conversations: number;
  readonly skippedCount: number;
  readonly unchanged: number;
  readonly bytes: number;
}

/**
 * Loaded before the command: prints what the process has used, on a line of its own. On Linux the largest size that
 * the system reports for a process includes what its parent had when it was started, so its own record is read there.
 */
const USAGE = `data:text/javascript,process.on("exit", () => {
  const fs = process.getBuiltinModule("node:fs");
  const { user, system } = process.cpuUsage();
  const status = process.platform === "linux" ? fs.readFileSync("/proc/self/status", "utf8") : "";
  const rssBytes = Number(/VmHWM:\\s+(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) * 1024;
  const usage = { ms: performance.now(), cpuMs: (user + system) / 1000, rssBytes };
  fs.writeSync(2, JSON.stringify(usage) + "\\n");
})`;

/** With the command as a user has it, from its start to its end. */
function importInto(target: string, folder: string): Imported {
  const home = dirname(folder);
  command ??= installCommand(home);
  const args = ["--import", USAGE, command, "import", folder, "--store", target, "--json"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, COLLOQUY_STATE_DIR: join(home, "state") },
  });
  if (status !== 0) throw new Error(stderr);
  const usage = stderr.trim().split("\n").at(-1) ?? "";
  return { ...(JSON.parse(stdout) as Imported), ...(JSON.parse(usage) as Imported) };
}

let command: string | undefined;

/** A gigabyte of several tools, in turn with reading and parsing the same files, and once more. */
export async function corpus(folder: string): Promise<BenchRow[]> {
  const sources = join(folder, "corpus");
  const { bytes, files } = writeCorpus(sources, sized(GIGABYTE, 1_000_000));
  console.log(`     corpus of ${(bytes / 1e6).toFixed(0)} MB in ${files} files`);
  const rates: number[] = [];
  const ratios: number[] = [];
  let again: Imported | undefined;
  let stored = 0;
  let rssBytes = 0;
  for (let round = 0; round < sized(3, 1); round++) {
    const startedMs = performance.now();
    await readAndParse(sources);
    const bareMs = performance.now() - startedMs;
    const target = `sqlite:${join(folder, `import-${round}.db`)}`;
    const imported = importInto(target, sources);
    const { ms, cpuMs, messages, conversations, skippedCount } = imported;
    rssBytes = Math.max(rssBytes, imported.rssBytes);
    const counts = `${messages} messages in ${conversations} conversations, ${skippedCount} skipped`;
    console.log(`     ${counts}, ${(cpuMs / 1000).toFixed(1)} s of processor time`);
    rates.push(bytes / 1e6 / (ms / 1000));
    ratios.push(bareMs / ms);
    again = importInto(target, sources);
    stored = statSync(join(folder, `import-${round}.db`)).size;
    rmSync(join(folder, `import-${round}.db`), { force: true });
  }
  const rate = median(rates);
  const ratio = median(ratios);
  const againMs = again?.ms ?? 0;
  rmSync(sources, { recursive: true });
  return [
    row(
      "Import of 1 GB of several tools, sqlite",
      `${rate.toFixed(1)} MB/s`,
      "",
      `≥ ${RATE_REACH} MB/s`,
      rate >= RATE_REACH,
    ),
    row(
      "… against reading and parsing the same lines",
      `${rate.toFixed(1)} MB/s`,
      `${(rate / ratio).toFixed(1)} MB/s`,
      `≥ ${RATIO_REACH} ×`,
      ratio >= RATIO_REACH,
      `${ratio.toFixed(2)} ×`,
    ),
    row(
      "… once more, nothing new",
      `${(againMs / 1000).toFixed(2)} s`,
      "",
      `≤ ${AGAIN_REACH_MS / 1000} s`,
      againMs <= AGAIN_REACH_MS && again?.messages === 0,
    ),
    row(
      "… the store, with the originals in it",
      `${(stored / bytes).toFixed(2)} ×`,
      "",
      `≤ ${STORE_REACH} × source`,
      stored <= bytes * STORE_REACH,
    ),
    row(
      "… memory",
      `${(rssBytes / 1e6).toFixed(0)} MB`,
      "",
      `≤ ${MEMORY_REACH} MB`,
      rssBytes / 1e6 <= MEMORY_REACH,
    ),
  ];
}

/** Sessions of Claude Code of 50 MB each. */
export async function sessions(folder: string): Promise<BenchRow[]> {
  const sources = join(folder, "sessions");
  const words = new Words();
  for (let index = 0; index < 4; index++) writeLongFile(sources, sized(50_000_000, 250_000), words);
  return [rateRow("Import of long Claude Code sessions", folder, sources, SESSIONS_REACH)];
}

/** An export of conversations of about 8 kB. */
export async function small(folder: string): Promise<BenchRow[]> {
  const sources = join(folder, "small");
  writeSmall(sources, sized(100_000_000, 500_000));
  return [rateRow("Import of many small conversations", folder, sources, SMALL_REACH)];
}

function rateRow(work: string, folder: string, sources: string, reach: number): BenchRow {
  const rates: number[] = [];
  for (let round = 0; round < sized(3, 1); round++) {
    const { ms, bytes } = importInto(`sqlite:${join(folder, `rate-${round}.db`)}`, sources);
    rates.push(bytes / 1e6 / (ms / 1000));
    for (const end of ["", "-wal", "-shm", "-imports"]) {
      rmSync(join(folder, `rate-${round}.db${end}`), { force: true });
    }
  }
  rmSync(sources, { recursive: true });
  const rate = median(rates);
  return row(work, `${rate.toFixed(1)} MB/s`, "", `≥ ${reach} MB/s`, rate >= reach);
}

/** A line is added to a session that was imported. Without the start of the command, as `--watch` meets it. */
export async function grown(folder: string): Promise<BenchRow[]> {
  const sources = join(folder, "grown");
  const file = writeLongFile(sources, sized(50_000_000, 250_000));
  const target = `sqlite:${join(folder, "grown.db")}`;
  const whole = importInto(target, sources);
  const times: number[] = [];
  for (let round = 0; round < sized(5, 2); round++) {
    appendLine(file, round);
    times.push(importInto(target, sources).ms);
  }
  const startMs = median(Array.from({ length: sized(5, 1) }, () => importInto(target, sources).ms));
  const ms = median(times) - startMs;
  const wholeMs = whole.ms - startMs;
  rmSync(sources, { recursive: true });
  return [
    row(
      "Import of one more line of a session of 50 MB",
      `${ms.toFixed(0)} ms`,
      `${wholeMs.toFixed(0)} ms for all of it`,
      `≤ ${GROWN_REACH} ×`,
      ms <= wholeMs * GROWN_REACH,
      `${(ms / wholeMs).toFixed(3)} ×`,
    ),
  ];
}

/** Lines of 64 MB, each of them one message. */
export async function longLines(folder: string): Promise<BenchRow[]> {
  const sources = join(folder, "long-lines");
  writeLongLines(sources, 8, sized(64_000_000, 100_000));
  return [memoryRow("Memory for eight lines of 64 MB", folder, sources)];
}

/** One file of 5 GB. */
export async function longFile(folder: string): Promise<BenchRow[]> {
  const sources = join(folder, "long-file");
  writeLongFile(sources, sized(5 * GIGABYTE, 1_000_000));
  return [memoryRow("Memory for one file of 5 GB", folder, sources)];
}

function memoryRow(work: string, folder: string, sources: string): BenchRow {
  const { rssBytes, messages, ms, bytes } = importInto(`sqlite:${join(folder, "memory.db")}`, sources);
  const megabytes = rssBytes / 1e6;
  console.log(`     ${messages} messages, ${(bytes / 1e6 / (ms / 1000)).toFixed(1)} MB/s`);
  rmSync(sources, { recursive: true });
  for (const end of ["", "-wal", "-shm", "-imports"])
    rmSync(join(folder, `memory.db${end}`), { force: true });
  return row(
    work,
    `${megabytes.toFixed(0)} MB`,
    "",
    `≤ ${MEMORY_REACH} MB`,
    megabytes <= MEMORY_REACH && messages > 0,
  );
}

function writeLongLines(folder: string, count: number, bytes: number): void {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, "0000.jsonl"), "w", 0o600);
  const sessionId = "00000000-0000-4000-8000-000000000001";
  const text = 'A line of output with "quotes" and more, and a café.\n';
  const content = text.repeat(Math.floor(bytes / JSON.stringify(text).length));
  let parentUuid: string | null = null;
  for (let line = 0; line < count; line++) {
    const uuid = `00000000-0000-4000-9000-${String(line).padStart(12, "0")}`;
    const message = { role: "user", content: [{ type: "tool_result", tool_use_id: `t${line}`, content }] };
    const timestamp = "2026-01-01T00:00:00.000Z";
    writeSync(file, `${JSON.stringify({ parentUuid, sessionId, type: "user", message, uuid, timestamp })}\n`);
    parentUuid = uuid;
  }
  closeSync(file);
}

function row(
  work: string,
  ours: string,
  bare: string,
  reach: string,
  ok: boolean,
  value: string = ours,
): BenchRow {
  return report({ work, ours, bare: bare === "" ? "–" : bare, value, reach, ok });
}
