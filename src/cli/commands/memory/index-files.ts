import { once } from "node:events";
import { invalid } from "../../../errors.ts";
import type { IndexReport, Memory } from "../../../memory/index.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { checkPath } from "../../input/path-argument.ts";
import { showResult } from "../../show-result.ts";
import { counted } from "../../terminal/count-text.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { openedMemory } from "./open.ts";

export async function run(call: Call): Promise<Result> {
  const given = call.args.map(checkPath);
  await using opened = await openedMemory(call);
  const { memory, hasProvider } = opened;
  const paths = given.length > 0 ? given : opened.paths;
  if (paths.length === 0) throw invalid("Name a file or folder, or set memory.paths in the config", "PATH");
  const report = await memory.index(paths);
  const result = await resultOf(memory, report, hasProvider);
  if (!call.flags.has("watch")) return result;
  showResult(call, result);
  await watch(call, memory, paths, hasProvider);
  return { json: null };
}

/** Until Ctrl-C. */
async function watch(
  call: Call,
  memory: Memory,
  paths: readonly string[],
  hasProvider: boolean,
): Promise<void> {
  const interrupt = stopOnInterrupt();
  call.out.note(`Watching ${counted(paths.length, "place")}; stop with Ctrl-C.`);
  await using _ = memory.watch(paths, {
    onChange: (report) => {
      void resultOf(memory, report, hasProvider).then((result) => showResult(call, result));
    },
    onError: (error) => call.out.note(error.message),
  });
  // The watch alone does not keep the process alive.
  const alive = setInterval(() => {}, ALIVE_MS);
  try {
    if (!interrupt.signal.aborted) await once(interrupt.signal, "abort");
  } finally {
    clearInterval(alive);
    interrupt.end();
  }
}

const ALIVE_MS = 60_000;

async function resultOf(memory: Memory, report: IndexReport, hasProvider: boolean): Promise<Result> {
  const notes = report.skipped.map(({ path, reason }) => `Skipped ${safeLine(path)}: ${reason}`);
  if (hasProvider)
    await memory.embed().catch((error: Error) => notes.push(`Not embedded yet: ${error.message}`));
  const { chunks, pending, model } = memory.stats();
  const { files, unchanged, added, removed } = report;
  const changes = `${counted(added, "chunk")} added, ${removed} removed`;
  return {
    json: { ...report, chunks, pending, model },
    lines: [`Indexed ${counted(files, "file")} (${unchanged} unchanged): ${changes}, ${chunks} in memory`],
    notes,
  };
}
