import { invalid } from "../../../errors.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { checkPath } from "../../input/path-argument.ts";
import { counted } from "../../terminal/count-text.ts";
import { openedMemory } from "./open.ts";

export async function run(call: Call): Promise<Result> {
  const given = call.args.map(checkPath);
  await using opened = await openedMemory(call);
  const { memory, hasProvider } = opened;
  const paths = given.length > 0 ? given : opened.paths;
  if (paths.length === 0) throw invalid("Name a file or folder, or set memory.paths in the config", "PATH");
  const report = await memory.index(paths);
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
