import { join } from "node:path";
import type { ConversationInfo } from "../../../engine/index.ts";
import { ColloquyError } from "../../../errors.ts";
import { remainingFiles } from "../../../formats/resume/remaining.ts";
import type { Receipt, RetentionItem } from "../../../store/index.ts";
import type { Store } from "../../../store/store.ts";
import { quoted } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { givenNumber } from "../../input/integer.ts";
import { checkReference } from "../../input/reference.ts";
import { toolFolders } from "../../input/tool-folders.ts";
import { nextCommand, PROGRAM } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { trashedAs } from "../../store/in-trash.ts";
import { existing, noConversation, openToClean } from "../../store/open-store.ts";
import { stateFolder } from "../../store/store-target.ts";
import { nameOf } from "../../view/conversation-view.ts";
import { copiesLines, originalsLines, removedLines, removedTable } from "../../view/removed-view.ts";

const DAY_MS = 86_400_000;

export async function run(call: Call): Promise<Result> {
  const choose = choiceOf(call);
  const dryRun = call.flags.has("dry-run");
  await using store = await openToClean(call, dryRun);
  const chosen = await choose(store);
  const originals = store === undefined ? [] : await originalsOf(call, store, chosen);
  const purged =
    store === undefined || chosen.length === 0
      ? NOTHING
      : await (dryRun ? preview(store, chosen) : purge(store, chosen));
  const { removed, receipts } = purged;
  const bytes = removed.reduce((sum, item) => sum + item.bytes, 0);
  return {
    json: { dryRun, removed, bytes, receipts, originals },
    lines: removed.length === 0 ? ["Nothing to purge."] : lines(call.out, dryRun, bytes, purged, originals),
  };
}

interface Purged {
  readonly removed: readonly RetentionItem[];
  readonly receipts: readonly Receipt[];
}

const NOTHING: Purged = { removed: [], receipts: [] };

type Choose = (store: Store | undefined) => Promise<readonly ConversationInfo[]>;

/** One conversation, or the trash. Options are checked before the store is opened. */
function choiceOf(call: Call): Choose {
  const [typed] = call.args;
  const days = givenNumber(call, "older-than-days", 0);
  if (!call.flags.has("trash")) {
    if (typed === undefined) {
      throw new UsageError(
        `"sessions purge" requires ID|KEY, or --trash. See ${PROGRAM} sessions purge --help`,
        "ID|KEY",
      );
    }
    if (days !== undefined) throw new UsageError("--older-than-days requires --trash", "older-than-days");
    const reference = checkReference(typed);
    return (store) => chosenOne(call, store, reference);
  }
  if (typed !== undefined) throw new UsageError("ID|KEY and --trash cannot be given together", "trash");
  if (call.flags.has("force")) throw new UsageError("--force and --trash cannot be given together", "force");
  return (store) => expired(store, days);
}

/** As `store.purge` chooses, so that a dry run shows the same conversation. */
async function chosenOne(
  call: Call,
  store: Store | undefined,
  reference: string,
): Promise<ConversationInfo[]> {
  if (store === undefined) throw noConversation(reference);
  const force = call.flags.has("force");
  const live = async (): Promise<ConversationInfo | undefined> =>
    (await existing(call, store, reference))?.info();
  const [trashed] = await trashedAs(call, store, reference);
  const chosen = force ? ((await live()) ?? trashed) : trashed;
  if (chosen !== undefined) return [chosen];
  const info = await live();
  if (info === undefined) throw noConversation(reference);
  const words = `sessions delete ${quoted(nameOf(info))}`;
  throw new ColloquyError(
    "CONFLICT",
    `${nameOf(info)} is not in the trash: ${nextCommand(words, call.values)} first, or add --force`,
    { field: "force" },
  );
}

async function expired(store: Store | undefined, days: number | undefined): Promise<ConversationInfo[]> {
  const found: ConversationInfo[] = [];
  if (store === undefined) return found;
  const before = days === undefined ? Number.POSITIVE_INFINITY : Date.now() - days * DAY_MS;
  for await (const info of store.list({ trash: true })) {
    if (Date.parse(info.deletedAt ?? info.updatedAt) < before) found.push(info);
  }
  return found;
}

async function preview(store: Store, chosen: readonly ConversationInfo[]): Promise<Purged> {
  const { sizes } = await store.stats();
  return { removed: chosen.map((info) => item(info, sizes[info.id] ?? 0)), receipts: [] };
}

async function purge(store: Store, chosen: readonly ConversationInfo[]): Promise<Purged> {
  const receipts: Receipt[] = [];
  const removed: RetentionItem[] = [];
  for (const info of chosen) {
    // `chosenOne` has checked --force.
    const receipt = await store.purge(info.id, { force: info.deletedAt === null });
    receipts.push(receipt);
    removed.push(item(info, receipt.bytes));
  }
  return { removed, receipts };
}

/** Asked for first: what was purged is not known any more. */
async function originalsOf(call: Call, store: Store, chosen: readonly ConversationInfo[]): Promise<string[]> {
  const folder = join(stateFolder(call.values), "resume");
  const found = new Set<string>();
  for (const { id } of chosen)
    for (const path of await remainingFiles(store, id, toolFolders(), folder)) found.add(path);
  return [...found].sort();
}

/** In the form of a retention report, so that a dry run shows the same as the purge.  */
function item({ id, title, key, messageCount }: ConversationInfo, bytes: number): RetentionItem {
  return { id, name: title ?? key ?? id, entries: messageCount, bytes };
}

function lines(
  out: Output,
  dryRun: boolean,
  bytes: number,
  { removed, receipts }: Purged,
  originals: readonly string[],
): string[] {
  return [
    ...removedTable(out, "conversation", removed),
    "",
    ...removedLines(out, dryRun, "conversation", removed, bytes),
    ...copiesLines(out, [...new Set(receipts.flatMap(({ copies }) => copies))]),
    ...originalsLines(out, originals),
  ];
}
