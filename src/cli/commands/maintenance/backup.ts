import { ColloquyError } from "../../../errors.ts";
import type { BackupReport } from "../../../store/index.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { quoted, safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { checkPath } from "../../input/path-argument.ts";
import { nextCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { openToRead } from "../../store/open-store.ts";
import { storeTarget } from "../../store/store-target.ts";
import { counted } from "../../terminal/count-text.ts";
import { withProgress } from "../../terminal/progress.ts";
import { wrap } from "../../terminal/wrap.ts";
import { findingJson, warnOfDamage } from "../../view/finding-view.ts";

export async function run(call: Call): Promise<Result> {
  const path = checkPath(call.args[0] as string);
  const target = storeTarget(call.values);
  await using store = await openToRead(call, target);
  if (store === undefined) {
    throw new ColloquyError("NOT_FOUND", `Nothing to back up: no store at ${target.path}`);
  }
  const report = await withProgress(call, "Copying the store", () => store.backup(path));
  if (!report.ok) {
    const more = nextCommand("sessions validate", call.values);
    warnOfDamage(call, "The store and its copy are damaged", report.findings, more);
  }
  const restore = nextCommand(`restore ${quoted(safeLine(path))}`, call.values);
  return {
    json: { ...report, findings: report.findings.map(findingJson) },
    lines: reportLines(call.out, report),
    notes: report.ok ? [`To restore the store from it: ${restore} --force`] : [],
    exit: report.ok ? EXIT_DONE : EXIT_PROBLEMS,
  };
}

function reportLines(
  { columns }: Output,
  { path, conversations, entries, bytes, ok }: BackupReport,
): string[] {
  const what = `${counted(conversations, "conversation")} with ${counted(entries, "entry")}`;
  const copied = `Copied ${what} to ${safeLine(path)} (${bytesText(bytes)})`;
  if (!ok) return wrap(`${copied}, with the damage of the store.`, columns);
  return [
    ...wrap(copied, columns),
    ...wrap("Keep its .manifest.json next to it: it proves later that the copy is intact.", columns),
  ];
}
