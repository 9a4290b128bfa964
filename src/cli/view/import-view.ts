import type { Imported, ImportReport, Skipped } from "../../formats/import/report.ts";
import { bytesText } from "../../util/bytes-text.ts";
import { cut } from "../../util/text-width.ts";
import { safeLine } from "../../util/visible-text.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";
import { counted, numberText } from "../terminal/count-text.ts";
import { shortIds } from "../terminal/short-ids.ts";
import { table } from "../terminal/table.ts";
import { wrap } from "../terminal/wrap.ts";

/** At most this many lines of each kind are shown; `--json` lists more. */
const SHOWN_MAX = 10;
const TITLE_COLUMNS_MAX = 48;
const INDENT = "  ";

export function importLines(call: Call, report: ImportReport): string[] {
  const { columns } = call.out;
  const { skipped, skippedCount, missing, missingCount, unknown, unresolved, unresolvedReferences } = report;
  const grown = report.imported.filter(({ added }) => added > 0);
  return [
    ...wrap(summary(call, report), columns),
    ...(grown.length === 0 ? [] : conversationLines(call, report, grown.slice(0, SHOWN_MAX))),
    ...more(report.grown, grown.length),
    ...[...forks(report), ...passedOver(call, report)].flatMap((line) => wrap(line, columns)),
    ...section("Skipped", skippedCount, skipped.map(placeLine)),
    ...section("Missing from the store", missingCount, missing.map(placeLine)),
    ...section(
      "Kept, but of unknown type",
      Object.keys(unknown).length,
      Object.entries(unknown).map(([type, count]) => `${safeLine(type)}: ${count}`),
    ),
    ...flagged(report),
    ...section("Referenced but not found", unresolved, unresolvedReferences.map(safeLine)),
    ...(report.interrupted ? ["Stopped early. Run the same command to continue."] : []),
    ...(grown.length > 0 && !report.dryRun
      ? [`To see them: ${nextCommand("sessions list", call.values)}`]
      : []),
  ];
}

function summary(call: Call, report: ImportReport): string {
  const { messages, branches, grown, files, unchanged, ignored, empty, bytes, dryRun } = report;
  const { missingCount, records, flags } = report;
  const blank = empty > 0 ? `, ${empty} empty` : "";
  const others = `${ignored > 0 ? `, ${ignored} from other programs ignored` : ""}${blank}`;
  const same = unchanged > 0 ? `, ${unchanged} unchanged` : "";
  const read = `${counted(files, "file")} read${same}${others} (${bytesText(bytes)})`;
  if (call.flags.has("verify")) {
    const found = `${counted(records, "record")} of ${counted(files, "file")}`;
    return missingCount === 0
      ? `Verified: the store contains all ${found}.`
      : `The store does not contain all ${found}.`;
  }
  if (files + unchanged === 0) return `No conversations found. ${read}.`;
  if (messages === 0) return `${flags.restored === undefined ? "Nothing new" : "No new messages"}. ${read}.`;
  const leaving = branches > 0 ? ` and ${counted(branches, "branch")}` : "";
  const found = `${counted(messages, "message")}${leaving} in ${counted(grown, "conversation")}`;
  return `${dryRun ? "Would import" : "Imported"} ${found}. ${read}.`;
}

/** Forks whose session was imported after them. */
function forks({ joined, apart }: ImportReport): string[] {
  return [
    ...(joined > 0
      ? [
          `${were(joined, "fork")} joined to a session that was imported later.`,
          `${joined === 1 ? "Its former conversation is" : "Their former conversations are"} in the trash.`,
        ]
      : []),
    ...(apart > 0
      ? [
          `${were(apart, "fork")} changed here and left separate.`,
          "Use --again to add them to their sessions too.",
        ]
      : []),
  ];
}

/** What came back, what was not imported, and why; or what would. */
function passedOver(call: Call, { flags, forgotten, pending, dryRun }: ImportReport): string[] {
  const { "in-trash": trashed = 0, purged = 0, restored = 0 } = flags;
  const are = dryRun ? wouldBe : were;
  const out = trashed + purged + forgotten;
  return [
    ...(restored > 0 ? [`${are(restored, "conversation")} moved back from the trash.`] : []),
    ...(trashed > 0 ? [`${are(trashed, "trashed conversation")} left unchanged.`] : []),
    ...(purged > 0 ? [`${are(purged, "purged conversation")} left out.`] : []),
    ...(forgotten > 0 ? [`${are(forgotten, "file")} ignored because of --forget.`] : []),
    ...(out > 0 && !call.flags.has("again")
      ? [`Use --again to bring ${out === 1 ? "it" : "them"} back.`]
      : []),
    ...(pending > 0
      ? [`${counted(pending, "file")} may not be complete yet. ${later(call)} takes in the rest.`]
      : []),
  ];
}

function later({ flags }: Call): string {
  return flags.has("watch") ? "A later pass" : "The next import, or --watch,";
}

/** In a long list of conversations, few would find them. */
function flagged({ flags }: ImportReport): string[] {
  const unusual = Object.entries(flags).filter(([flag]) => !TOLD.has(flag));
  const lines = unusual.map(([flag, count]) => `${safeLine(flag)}: ${counted(count, "conversation")}`);
  return section("Flagged", lines.length, lines);
}

/** Flags that `passedOver` puts into words. */
const TOLD: ReadonlySet<string> = new Set(["restored", "in-trash", "purged"]);

function were(count: number, word: string): string {
  return `${counted(count, word)} ${count === 1 ? "was" : "were"}`;
}

function wouldBe(count: number, word: string): string {
  return `${counted(count, word)} would be`;
}

function conversationLines({ out }: Call, report: ImportReport, items: readonly Imported[]): string[] {
  const short = shortIds(report.imported.map(({ id }) => id));
  const lines = table(
    { ...out, columns: out.columns - INDENT.length },
    [
      { title: "TITLE", rank: 0, min: 8 },
      { title: "CONVERSATION", rank: 1, min: 12, names: true },
      { title: "MESSAGES", rank: 2, align: "right" },
      { title: "NOTES", rank: 3, min: 8 },
    ],
    items.map(({ id, key, title, added, branches, flags }) => [
      cut(safeLine(title ?? ""), TITLE_COLUMNS_MAX) || "–",
      safeLine(key ?? short.get(id) ?? id),
      numberText(added),
      [
        ...(branches > 1 ? [counted(branches, "branch")] : []),
        ...Object.entries(flags).map(([flag, count]) => `${safeLine(flag)} ${count}`),
      ].join(" · "),
    ]),
  );
  return lines.map((line) => `${INDENT}${line}`);
}

function placeLine({ source, line, offset, reason }: Skipped): string {
  const place = line === null ? (offset === null ? "" : `, byte ${offset}`) : `:${line}`;
  return `${safeLine(source)}${place}: ${safeLine(reason)}`;
}

function section(title: string, count: number, lines: readonly string[]): string[] {
  if (count === 0) return [];
  const shown = lines.slice(0, SHOWN_MAX).map((line) => `  ${line}`);
  return [`${title}: ${count}`, ...shown, ...more(count, lines.length)];
}

/** Lists have an end; counts do not. */
function more(count: number, listed: number): string[] {
  const all = listed < count ? `the first ${numberText(listed)}` : "all";
  return count > SHOWN_MAX ? [`  … and ${count - SHOWN_MAX} more (--json lists ${all})`] : [];
}
