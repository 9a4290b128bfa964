import type { Imported, ImportReport, Skipped } from "../formats/import/report.ts";
import { bytesText } from "./bytes-text.ts";
import type { Call } from "./command.ts";
import { counted } from "./conversation-view.ts";
import { safeLine } from "./safe-text.ts";
import { wrap } from "./wrap.ts";

/** So many lines of each kind are shown to a person; `--json` gives all. */
const SHOWN_MAX = 10;

export function importJson(report: ImportReport): Record<string, unknown> {
  return { ...report };
}

export function importLines(call: Call, report: ImportReport): string[] {
  const { columns } = call.out;
  const { skipped, skippedCount, missing, missingCount, unknown, unresolved, unresolvedReferences } = report;
  return [
    ...wrap(summary(report), columns),
    ...report.imported
      .filter(({ added }) => added > 0)
      .slice(0, SHOWN_MAX)
      .map((item) => conversationLine(call, item)),
    ...more(report.imported.filter(({ added }) => added > 0).length),
    ...section("Skipped", skippedCount, skipped.map(placeLine)),
    ...section("Missing from the store", missingCount, missing.map(placeLine)),
    ...section(
      "Kept, but of a type that is not known",
      Object.keys(unknown).length,
      Object.entries(unknown).map(([type, count]) => `${safeLine(type)}: ${count}`),
    ),
    ...section("Not found, though something refers to it", unresolved, unresolvedReferences.map(safeLine)),
    ...(report.interrupted ? ["Stopped before the end. The same command goes on from here."] : []),
  ];
}

function summary(report: ImportReport): string {
  const { messages, branches, conversations, files, unchanged, ignored, bytes, dryRun, missingCount } =
    report;
  const others = ignored > 0 ? `, ${ignored} of other programs` : "";
  const same = unchanged > 0 ? `, ${unchanged} unchanged` : "";
  const read = `${counted(files, "file")} read${same}${others} (${bytesText(bytes)})`;
  const found = `${counted(messages, "message")}${branches > 0 ? ` and ${counted(branches, "branch")}` : ""} in ${counted(conversations, "conversation")}`;
  if (missingCount > 0) return `${missingCount} records of the sources are not in the store. ${read}.`;
  if (dryRun) return `Would take in ${found}. ${read}.`;
  if (messages === 0 && files + unchanged > 0) return `Nothing new. ${read}.`;
  return `Took in ${found}. ${read}.`;
}

function conversationLine(call: Call, { id, key, title, added, branches, format, flags }: Imported): string {
  const name = safeLine(title ?? key ?? id);
  const odd = Object.entries(flags).map(([flag, count]) => `${flag} ${count}`);
  const parts = [
    format,
    counted(added, "message"),
    ...(branches > 1 ? [counted(branches, "branch")] : []),
    ...odd,
  ];
  return `  ${call.out.style("bold", name)}  ${parts.join(" · ")}`;
}

function placeLine({ source, line, offset, reason }: Skipped): string {
  const place = line === null ? (offset === null ? "" : `, byte ${offset}`) : `:${line}`;
  return `${safeLine(source)}${place}: ${safeLine(reason)}`;
}

function section(title: string, count: number, lines: readonly string[]): string[] {
  if (count === 0) return [];
  const shown = lines.slice(0, SHOWN_MAX).map((line) => `  ${line}`);
  return [`${title}: ${count}`, ...shown, ...more(count)];
}

function more(count: number): string[] {
  return count > SHOWN_MAX ? [`  … and ${count - SHOWN_MAX} more (--json lists all)`] : [];
}
