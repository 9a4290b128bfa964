import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ColloquyError, invalid } from "../../../errors.ts";
import { restoreBackup } from "../../../store/backup/restore.ts";
import type { RestoreReport } from "../../../store/index.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { isUuid } from "../../../util/uuid.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { checkPath } from "../../input/path-argument.ts";
import { nextCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { type StoreTarget, storeTarget } from "../../store/store-target.ts";
import { counted } from "../../terminal/count-text.ts";
import { withProgress } from "../../terminal/progress.ts";
import { wrap } from "../../terminal/wrap.ts";
import { findingJson, warnOfDamage } from "../../view/finding-view.ts";

export async function run(call: Call): Promise<Result> {
  const path = checkPath(call.args[0] as string);
  const target = storeTarget(call.values);
  checkBackup(call, path, target);
  const force = call.flags.has("force");
  const restoring = (): Promise<RestoreReport> => restoreBackup(path, target.text, { force });
  const report = await withProgress(call, "Checking and restoring", restoring).catch(explain);
  const { engine, conversations, entries, bytes, checksums, former, ok } = report;
  if (!ok) {
    const more = nextCommand("sessions validate", call.values);
    const what = "The store was damaged when it was backed up, and so is the restored store";
    warnOfDamage(call, what, report.findings, more);
  }
  const made = { path: report.path, engine, conversations, entries, bytes };
  return {
    json: { ...made, checksums, former, ok, findings: report.findings.map(findingJson) },
    lines: reportLines(call.out, report),
    exit: ok ? EXIT_DONE : EXIT_PROBLEMS,
  };
}

/** Catches obvious mistakes, with what to type instead. */
function checkBackup({ values }: Call, path: string, target: StoreTarget): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    const meant = nextCommand(`sessions restore ${path}`, values);
    const hint = isUuid(path) ? `. To restore a conversation from the trash: ${meant}` : "";
    throw new ColloquyError("NOT_FOUND", `No backup at ${resolve(path)}${hint}`, { field: "PATH" });
  }
  if (stat.isDirectory() && target.engine === "sqlite") {
    throw invalid(`${path} is a folder, a backup of a jsonl store: add --store jsonl:FOLDER`, "store");
  }
  if (!stat.isDirectory() && target.engine === "jsonl") {
    throw invalid(`${path} is a file, a backup of a sqlite store: add --store sqlite:FILE`, "store");
  }
}

function explain(error: unknown): never {
  if (!(error instanceof ColloquyError) || error.code !== "CONFLICT" || error.field !== "path") throw error;
  throw new ColloquyError(
    "CONFLICT",
    `${error.message}. Add --force to replace it, or use another store with --store`,
    { field: "force", cause: error },
  );
}

function reportLines(out: Output, report: RestoreReport): string[] {
  const { conversations, entries, bytes, checksums, former } = report;
  const what = `${counted(conversations, "conversation")} with ${counted(entries, "entry")}`;
  const damage = report.ok ? "" : ", with its damage";
  const proof = checksums
    ? "The checksums of the backup match."
    : "The backup has no checksums; reading all of it found no problems.";
  return [
    ...wrap(`Restored ${what} to ${safeLine(report.path)} (${bytesText(bytes)})${damage}`, out.columns),
    ...wrap(proof, out.columns).map((line) => (checksums ? line : out.style("yellow", line))),
    ...(former === null ? [] : wrap(`The previous store is kept: ${safeLine(former)}`, out.columns)),
  ];
}
