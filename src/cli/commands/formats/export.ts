import { once } from "node:events";
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ConversationInfo } from "../../../engine/index.ts";
import { alreadyThere, exportName, makeFolderOf, writeExport } from "../../../formats/export/export-file.ts";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportOptions,
  exportConversation,
} from "../../../formats/export/index.ts";
import type { Store } from "../../../store/store.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { branchOf, branchOption } from "../../input/branch-name.ts";
import { checkPath } from "../../input/path-argument.ts";
import { checkReference } from "../../input/reference.ts";
import { conversationOf, openToRead } from "../../store/open-store.ts";
import { counted } from "../../terminal/count-text.ts";
import { safeJson } from "../../terminal/json-text.ts";
import { withProgress } from "../../terminal/progress.ts";
import { wrap } from "../../terminal/wrap.ts";
import { nameOf } from "../../view/conversation-view.ts";

interface Exported {
  readonly id: string;
  readonly key: string | null;
  readonly title: string | null;
  readonly path: string;
  readonly bytes: number;
  readonly redacted: number;
}

export async function run(call: Call): Promise<Result> {
  const references = call.args.map(checkReference);
  if (call.values.get("to") === ORIGINAL) return runOriginal(call, references);
  const options = optionsOf(call);
  const target = targetOf(call, references);
  await using store = await openToRead(call);
  const infos = await infosOf(call, store, references, options.branch);
  if (target === "-") {
    const [info] = infos as [ConversationInfo];
    await print(call, exportConversation(store as Store, info.id, options));
    return { json: null };
  }
  const files = filesFor(infos, target, options.to, call.args.length !== 1 || call.flags.has("all"));
  if (!call.flags.has("force")) refuseExisting(files.map(({ path }) => path));
  const work = (): Promise<Exported[]> => writeAll(store as Store, files, options, call.flags.has("force"));
  const exported = await withProgress(call, "Exporting", work);
  return { json: { format: options.to, exported }, lines: reportLines(call, exported) };
}

function optionsOf(call: Call): ExportOptions {
  const { flags, values } = call;
  const to = values.get("to");
  const known = [...Object.keys(EXPORT_FORMATS), ORIGINAL].join(", ");
  if (to === undefined) throw new UsageError(`Specify a format: --to ${known}`, "to");
  if (!Object.hasOwn(EXPORT_FORMATS, to))
    throw new UsageError(`Unknown format "${to}"; use one of ${known}`, "to");
  exclude(call, "redact", "no-redact");
  const branch = branchOption(call);
  if (branch !== undefined && flags.has("all-branches")) {
    throw new UsageError("--branch and --all-branches cannot be given together", "branch");
  }
  return {
    to: to as ExportFormat,
    ...(branch === undefined ? {} : { branch }),
    ...(flags.has("all-branches") ? { allBranches: true } : {}),
    tools: !flags.has("no-tools"),
    thinking: !flags.has("no-thinking"),
    ...(flags.has("redact") ? { redact: true } : flags.has("no-redact") ? { redact: false } : {}),
  };
}

const ORIGINAL = "original";
const CHOICES = ["branch", "all-branches", "no-tools", "no-thinking", "redact", "no-redact"];

async function runOriginal(call: Call, references: readonly string[]): Promise<Result> {
  const chosen = CHOICES.find((name) => call.flags.has(name) || call.values.has(name));
  if (chosen !== undefined) throw new UsageError(`--${chosen} has no effect on an original`, chosen);
  const target = targetOf(call, references);
  await using store = await openToRead(call);
  const infos = await infosOf(call, store, references, undefined);
  const { exportOriginals } = await import("./export-original.ts");
  return await exportOriginals(call, store as Store, infos, target);
}

function exclude({ flags }: Call, one: string, other: string): void {
  if (flags.has(one) && flags.has(other)) {
    throw new UsageError(`--${one} and --${other} cannot be given together`, other);
  }
}

/** A file, a folder, or `-` for standard output. */
function targetOf(call: Call, references: readonly string[]): string {
  const out = call.values.get("out");
  const all = call.flags.has("all");
  if (all && references.length > 0)
    throw new UsageError("Conversations and --all cannot be given together", "all");
  if (!all && references.length === 0)
    throw new UsageError("Specify conversations: ID|KEY…, or --all", "ID|KEY");
  if (out !== undefined && out !== "-") return checkPath(out);
  if (all || references.length > 1) {
    throw new UsageError("Several conversations require a folder: specify it with --out", "out");
  }
  return "-";
}

/** Looks up every conversation before the first is written. */
async function infosOf(
  call: Call,
  store: Store | undefined,
  references: readonly string[],
  branch: string | undefined,
): Promise<ConversationInfo[]> {
  const found = new Map<string, ConversationInfo>();
  for (const reference of references) {
    const conversation = await conversationOf(call, store, reference);
    if (branch !== undefined) await branchOf(conversation, branch);
    found.set(conversation.id, await conversation.info());
  }
  if (call.flags.has("all") && store !== undefined) {
    for await (const info of store.list()) found.set(info.id, info);
  }
  return [...found.values()];
}

interface File {
  readonly info: ConversationInfo;
  readonly path: string;
}

function filesFor(
  infos: readonly ConversationInfo[],
  target: string,
  to: ExportFormat,
  several: boolean,
): File[] {
  const isFolder =
    several || /[\\/]$/.test(target) || statSync(target, { throwIfNoEntry: false })?.isDirectory();
  return infos.map((info) => ({
    info,
    path: resolve(isFolder ? join(target, exportName(info, to)) : target),
  }));
}

function refuseExisting(paths: readonly string[]): void {
  const found = paths.find((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
  if (found !== undefined) throw alreadyThere(found);
}

async function writeAll(
  store: Store,
  files: readonly File[],
  options: ExportOptions,
  force: boolean,
): Promise<Exported[]> {
  const exported: Exported[] = [];
  for (const { info, path } of files) {
    await makeFolderOf(path);
    const pieces = exportConversation(store, info.id, options);
    const bytes = await writeExport(path, pieces, { force });
    const { id, key, title } = info;
    exported.push({ id, key, title, path, bytes, redacted: pieces.redacted });
  }
  return exported;
}

function reportLines({ out }: Call, exported: readonly Exported[]): string[] {
  const redacted = exported.reduce((sum, one) => sum + one.redacted, 0);
  const secrets =
    redacted === 0
      ? []
      : wrap(`Redacted ${counted(redacted, "string")} that looked like secrets.`, out.columns);
  const [only, more] = exported;
  if (only === undefined) return ["Nothing to export."];
  if (more === undefined) {
    const name = nameOf(only);
    return [
      ...wrap(`Exported ${name} to ${safeLine(only.path)} (${bytesText(only.bytes)})`, out.columns),
      ...secrets,
    ];
  }
  const bytes = exported.reduce((sum, one) => sum + one.bytes, 0);
  const where = safeLine(resolve(only.path, ".."));
  return [
    ...wrap(
      `Exported ${counted(exported.length, "conversation")} to ${where} (${bytesText(bytes)})`,
      out.columns,
    ),
    ...secrets,
  ];
}

/** Waits for the reader. */
async function print({ values }: Call, pieces: AsyncIterable<string>): Promise<void> {
  const { stdout } = process;
  const isText = values.get("to") === "markdown" || values.get("to") === "html";
  const escapes = stdout.isTTY === true && !isText;
  for await (const piece of pieces) {
    const safe = escapes ? safeJson(piece) : piece;
    if (!stdout.write(safe)) await once(stdout, "drain");
  }
}
