import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ColloquyError, invalid } from "../../../errors.ts";
import { migrateToV2 } from "../../../formats/migrate/to-v2.ts";
import type { CopyProgress, CopyReport } from "../../../store/copy/copy-store.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { quoted, safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS, UsageError } from "../../exit.ts";
import { PROGRAM } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { openToRead } from "../../store/open-store.ts";
import { type StoreTarget, storeTarget } from "../../store/store-target.ts";
import { counted, numberText } from "../../terminal/count-text.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { statusLine } from "../../terminal/progress.ts";
import { wrap } from "../../terminal/wrap.ts";

const V2 = "v2";
const SKIPPED_SHOWN = 20;

interface Move {
  readonly from: StoreTarget;
  /** `v2`, or a store. */
  readonly to: StoreTarget | typeof V2;
  readonly dryRun: boolean;
}

export async function run(call: Call): Promise<Result> {
  const move = moveOf(call);
  const interrupt = stopOnInterrupt();
  const status = statusLine(call);
  const startedMs = Date.now();
  try {
    const report = await migrate(call, move, interrupt.signal, (progress) =>
      status.show(progressText(progress, (Date.now() - startedMs) / 1000)),
    );
    return resultOf(call, move, report);
  } finally {
    status.clear();
    interrupt.end();
  }
}

type Shown = (progress: CopyProgress) => void;

async function migrate(call: Call, move: Move, signal: AbortSignal, onProgress: Shown): Promise<CopyReport> {
  const { from, to, dryRun } = move;
  if (to === V2) return migrateToV2(from.path as string, { dryRun, signal, onProgress });
  await using source = (await openToRead(call, from)) as Store;
  await using target = await openTarget(to, dryRun);
  return await source.copyTo(target, { dryRun, signal, onProgress });
}

/** A dry run creates no store; it compares with an empty one if the target is missing. */
async function openTarget({ text, missing }: StoreTarget, dryRun: boolean): Promise<Store> {
  return openStore(dryRun && missing ? "ephemeral:" : text, { readonly: dryRun && !missing });
}

function moveOf(call: Call): Move {
  const wanted = call.values.get("to");
  if (wanted === undefined)
    throw new UsageError("Specify the target: --to v2, sqlite:FILE or jsonl:FOLDER", "to");
  const to = wanted === V2 ? V2 : targetOf(wanted);
  const from = sourceOf(call);
  if (from.missing) throw new ColloquyError("NOT_FOUND", `No store at ${from.path}`, { field: "from" });
  const dryRun = call.flags.has("dry-run");
  if (to === V2) {
    if (from.engine === "jsonl") return { from, to: V2, dryRun };
    throw invalid(
      `v2 is a format of files, and ${from.text} is not a folder. Copy it with --to jsonl:FOLDER`,
      "to",
    );
  }
  if (to.path !== null && to.path === from.path) throw invalid("--from and --to are the same store", "to");
  return { from, to, dryRun };
}

/** A path that cannot be a store is more likely a mistyped word. */
function targetOf(wanted: string): StoreTarget {
  if (wanted.includes(":") || /[\\/]|\.(db|sqlite)$/i.test(wanted)) {
    return storeTarget(new Map([["store", wanted]]));
  }
  throw invalid(`Unknown target "${wanted}": use v2, sqlite:FILE or jsonl:FOLDER`, "to");
}

/** Folders of legacy files have no mark of ours, but no other engine has folders. */
function sourceOf(call: Call): StoreTarget {
  const named = call.values.get("from");
  if (named === undefined) return storeTarget(call.values);
  const isFolder = statSync(named, { throwIfNoEntry: false })?.isDirectory() === true;
  return storeTarget(new Map([["store", isFolder ? `jsonl:${resolve(named)}` : named]]));
}

function isClean({ dryRun }: Move, { skipped, verified }: CopyReport): boolean {
  return skipped.length === 0 && (verified || dryRun);
}

function resultOf(call: Call, move: Move, report: CopyReport): Result {
  const { from, dryRun } = move;
  const to = move.to === V2 ? V2 : move.to.text;
  const { conversations, entries, verified, hash, skipped, items } = report;
  const isDone = isClean(move, report);
  const isNew = isDone && !dryRun && move.to !== V2;
  return {
    json: { from: from.text, to, conversations, entries, verified, hash, skipped, dryRun, items },
    lines: reportLines(call.out, move, report),
    notes: isNew ? [`To use it: ${PROGRAM} sessions list --store ${quoted(safeLine(to))}`] : [],
    exit: isDone ? EXIT_DONE : EXIT_PROBLEMS,
  };
}

function reportLines(out: Output, { from, to, dryRun }: Move, report: CopyReport): string[] {
  const { conversations, entries, verified, hash, skipped, items } = report;
  if (to === V2 && items.length + skipped.length === 0) {
    return wrap(`Nothing to do: ${safeLine(from.path ?? "")} has no legacy files`, out.columns);
  }
  const added = items.reduce((sum, item) => sum + item.added, 0);
  const place = to === V2 ? `${from.path} in format v2` : to.text;
  const what = `${counted(conversations, "conversation")} with ${counted(entries, "entry")}`;
  const there = added === entries ? "" : `, ${numberText(entries - added)} of which already existed`;
  const same =
    to === V2
      ? "the rewritten files have the same content as the originals in legacy"
      : "both stores have the same content";
  const differs =
    to === V2
      ? "a rewritten file differs from the original, which is kept in legacy"
      : "the copy differs from the source. Keep the source";
  const proof = verified
    ? `${out.style("green", "verified")}: ${same}, SHA-256 ${hash}`
    : out.style("red", `NOT verified: ${differs}`);
  return [
    ...skipped.slice(0, SKIPPED_SHOWN).flatMap(({ conversation, key, code, reason }) => {
      const name = safeLine(key ?? conversation ?? "the store");
      const what = code === "DAMAGED" ? "noted" : "skipped";
      return wrap(`${out.style("yellow", what)} ${name}: ${safeLine(reason)}`, out.columns);
    }),
    ...(skipped.length > SKIPPED_SHOWN ? [`… and ${skipped.length - SKIPPED_SHOWN} more (see --json)`] : []),
    ...wrap(`${dryRun ? "Would migrate" : "Migrated"} ${what} to ${safeLine(place)}${there}`, out.columns),
    ...(dryRun ? [] : wrap(proof, out.columns)),
  ];
}

function progressText({ conversations, total, entries }: CopyProgress, seconds: number): string {
  const rate = Math.round(entries / Math.max(0.001, seconds));
  const done = `${numberText(conversations)} of ${counted(total, "conversation")}`;
  return `${done}, ${counted(entries, "entry")}, ${numberText(rate)}/s`;
}
