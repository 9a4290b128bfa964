import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { ColloquyError } from "../../../errors.ts";
import { forgetSources } from "../../../formats/import/forget.ts";
import type { ImportReport } from "../../../formats/import/report.ts";
import { type ImportOptions, importConversations } from "../../../formats/import/run.ts";
import { usualPlaces } from "../../../formats/import/usual-places.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_PROBLEMS, UsageError } from "../../exit.ts";
import { chooseSources } from "../../input/source-choice.ts";
import { showResult } from "../../show-result.ts";
import { openToImport, openToRead } from "../../store/open-store.ts";
import { storeTarget } from "../../store/store-target.ts";
import { counted } from "../../terminal/count-text.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { lowMemory, oneHelperThread } from "../../terminal/low-memory.ts";
import { barText, statusLine } from "../../terminal/progress.ts";
import { importLines } from "../../view/import-view.ts";

export async function run(call: Call): Promise<Result> {
  checkFlags(call);
  const paths = call.args.length > 0 ? placesOf(call) : await chooseSources(call);
  if (paths.length === 0) return { json: null, notes: ["Nothing was imported."] };
  if (call.flags.has("forget")) return forget(call, paths);
  if (call.flags.has("install")) return (await import("./watch.ts")).installWatch(call, paths);
  const previews = call.flags.has("dry-run") || call.flags.has("verify");
  // A store in JSONL syncs several files at once, each in a helper thread.
  if (storeTarget(call.values).engine === "sqlite") oneHelperThread();
  await using store = previews ? await openToPreview(call) : await openToImport(call);
  if (!call.flags.has("watch")) return await once(call, store, paths);
  const { watch } = await import("./watch.ts");
  const show = (report: ImportReport): void => void showResult(call, resultOf(call, report));
  const { format, again } = optionsOf(call);
  return await watch(call, store, paths, { format, again }, show);
}

function checkFlags({ flags, args }: Call): void {
  const modes = ["dry-run", "watch", "verify", "forget"].filter((flag) => flags.has(flag));
  if (modes.length > 1)
    throw new UsageError(`--${modes[0]} and --${modes[1]} cannot be given together`, modes[1] ?? "");
  if (flags.has("install") && !flags.has("watch"))
    throw new UsageError("--install requires --watch", "install");
  if (flags.has("install") && flags.has("again"))
    throw new UsageError("--install and --again cannot be given together", "again");
  if (flags.has("forget") && args.length === 0) throw new UsageError("--forget requires PATH", "PATH");
}

/**
 * Checked first: a mistyped path must not leave an empty store behind. With `--watch` it may be made later, and a
 * service must not end because one of its places is gone. What is gone can be forgotten.
 */
function placesOf(call: Call): string[] {
  const places = call.args.map((path) => resolve(path));
  const [first, ...others] = places.filter((place) => !existsSync(place));
  const isForgotten = call.flags.has("forget") && !storeTarget(call.values).missing;
  if (first === undefined || isForgotten) return places;
  if (!call.flags.has("watch")) {
    throw new ColloquyError("NOT_FOUND", `No file or folder at ${safeLine(first)}`, { field: "PATH" });
  }
  noteMissing(call, [first, ...others]);
  return places;
}

/** A service watches the usual places of all tools, and nobody has all of them. */
function noteMissing({ out }: Call, missing: readonly string[]): void {
  const usual = usualPlaces(homedir(), process.env).map(({ path }) => path);
  const others = missing.filter((place) => usual.includes(place));
  const named = others.length === 1 ? missing : missing.filter((place) => !usual.includes(place));
  for (const place of named)
    out.note(`Nothing at ${safeLine(place)} yet; it will be imported once it is there.`);
  if (others.length < 2) return;
  out.note(
    `Nothing at ${others.length} places of other tools yet; they will be imported once they are there.`,
  );
}

/** A dry run treats a missing store as an empty one. */
async function openToPreview(call: Call): Promise<Store> {
  const store = storeTarget(call.values).missing ? undefined : await openToRead(call);
  if (store !== undefined) return store;
  return openStore("ephemeral:");
}

async function once(call: Call, store: Store, paths: readonly string[]): Promise<Result> {
  const interrupt = stopOnInterrupt();
  const status = statusLine(call);
  const startedMs = Date.now();
  const limitMemory = lowMemory();
  try {
    const report = await importConversations(store, paths, {
      ...optionsOf(call),
      signal: interrupt.signal,
      onProgress: ({ bytes, bytesTotal, files, filesTotal }) => {
        limitMemory();
        const bar = barText(bytes, bytesTotal, (Date.now() - startedMs) / 1000);
        status.show(`${doing(call)} ${bar} · ${files} of ${filesTotal} files`);
      },
    });
    return resultOf(call, report);
  } finally {
    status.clear();
    interrupt.end();
  }
}

function doing({ flags }: Call): string {
  if (flags.has("verify")) return "Verifying";
  return flags.has("dry-run") ? "Reading" : "Importing";
}

function optionsOf({ values, flags }: Call): ImportOptions {
  return {
    format: values.get("from"),
    dryRun: flags.has("dry-run"),
    verify: flags.has("verify"),
    again: flags.has("again"),
  };
}

function resultOf(call: Call, report: ImportReport): Result {
  const isStopped = report.interrupted && !call.flags.has("watch");
  const isClean = report.skippedCount === 0 && report.missingCount === 0;
  return {
    json: jsonOf(call, report),
    lines: importLines(call, report),
    exit: isStopped ? EXIT_FAILED : isClean ? EXIT_DONE : EXIT_PROBLEMS,
  };
}

function jsonOf({ flags }: Call, report: ImportReport): Record<string, unknown> {
  return flags.has("verify") ? { ...report, verified: report.missingCount === 0 } : { ...report };
}

async function forget(call: Call, paths: readonly string[]): Promise<Result> {
  await using store = await openToImport(call);
  const forgotten = await forgetSources(store, paths);
  const { files, conversations, shared } = forgotten;
  const moved = `${counted(conversations.length, "conversation")} from ${counted(files, "file")}`;
  return {
    json: { ...forgotten },
    lines: [
      `Moved ${moved} to the trash. Nothing more is imported from there.`,
      ...(shared.length === 0
        ? []
        : [`${counted(shared.length, "conversation")} kept, because other files have added to them.`]),
    ],
  };
}
