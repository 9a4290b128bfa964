import { ColloquyError, unavailable } from "../../../errors.ts";
import { LIMIT_MAX } from "../../../store/access.ts";
import type { SearchHit, SearchOptions, SearchPage, Store } from "../../../store/index.ts";
import { quoted, safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_FAILED, UsageError } from "../../exit.ts";
import { entryIdOf } from "../../input/entry-reference.ts";
import { integerOf } from "../../input/integer.ts";
import { nextCommand, PROGRAM } from "../../invocation.ts";
import { rememberList } from "../../store/last-list.ts";
import { canKeepIndex, hasConfig, openToSearch } from "../../store/open-store.ts";
import { storeTarget } from "../../store/store-target.ts";
import { nameOf } from "../../view/conversation-view.ts";
import { byConversation, type FoundConversation, withContext } from "./found.ts";
import { foundLines } from "./hit-view.ts";
import { nothingFound } from "./nothing-found.ts";
import { nextPage, searchOptions } from "./query.ts";
import { rebuildIndex } from "./rebuild.ts";
import type { ConfiguredSearch } from "./semantic.ts";

const NONE: SearchPage = { hits: [], cursor: null, indexed: true };
/** Entries on each side in the command that shows a hit. */
const AROUND = 3;

export async function run(call: Call): Promise<Result> {
  const { args, values, flags } = call;
  const text = args.join(" ");
  const rebuild = flags.has("rebuild");
  if (args.length === 0 && (!rebuild || flags.has("open")))
    throw new UsageError(`"search" requires TEXT. See ${PROGRAM} search --help`, "TEXT");
  const options = searchOptions(call);
  const given = values.get("context");
  const context = given === undefined ? undefined : integerOf(given, "context", LIMIT_MAX, 0);
  const target = storeTarget(values);
  const configured = await searchMode(call, options.mode);
  await using store = await openToSearch(call, target, configured.semantic);
  if (rebuild && store !== undefined) {
    if (!canKeepIndex(target)) throw unavailable(`Cannot write the search index beside ${target.path}`);
    if (!(await rebuildIndex(call, store))) return stopped();
  }
  if (args.length === 0) return { json: { ...NONE }, notes: ["The search index is complete."] };
  const page = (await store?.search(text, { ...options, mode: configured.mode })) ?? NONE;
  if (flags.has("open")) return await open(call, page.hits[0]);
  if (store === undefined) return { json: { ...page }, notes: ["No conversations."] };
  return await resultOf(call, store, page, context);
}

/** Most commands run without a config file, and a search by words needs none. */
async function searchMode(call: Call, mode: SearchOptions["mode"]): Promise<ConfiguredSearch> {
  if (mode === "keyword" || (mode === undefined && !hasConfig(call))) return { mode: "keyword" };
  const { configuredSearch } = await import("./semantic.ts");
  return configuredSearch(call, mode);
}

function stopped(): Result {
  return {
    json: { ...NONE, indexed: false },
    notes: ["Stopped early. Run the same command to continue."],
    exit: EXIT_FAILED,
  };
}

async function resultOf(
  call: Call,
  store: Store,
  page: SearchPage,
  context: number | undefined,
): Promise<Result> {
  const found = await Promise.all(page.hits.map((hit) => withContext(store, hit, context ?? 0)));
  const json = {
    ...page,
    hits:
      context === undefined ? page.hits : found.map(({ hit, before, after }) => ({ ...hit, before, after })),
  };
  if (call.json) return { json };
  const conversations = await byConversation(store, found);
  rememberList(
    call,
    storeTarget(call.values),
    conversations.map(({ id }) => id),
  );
  return {
    json,
    ...(conversations.length > 0 && { isLong: true, lines: foundLines(call.out, conversations) }),
    notes: [
      ...(page.indexed || conversations.length > 0
        ? await foundNotes(call, store, conversations)
        : ["Nothing found yet."]),
      ...(page.cursor === null ? [] : [`More hits: ${nextPage(call, page.cursor)}`]),
      ...(page.indexed ? [] : [incompleteNote(call)]),
    ],
  };
}

/** How to show the first hit in its place, or that there is none. */
async function foundNotes(
  call: Call,
  store: Store,
  [first]: readonly FoundConversation[],
): Promise<string[]> {
  const { entry = null, seq = null, active = true, branch = "" } = first?.found[0]?.hit ?? {};
  if (first === undefined) return [nothingFound(call, call.args.join(" "))];
  const conversation = await store.get(first.id);
  if (conversation === undefined || entry === null) return [];
  // A number is shorter than an id, unless it is the id of another entry.
  const place = (await entryIdOf(conversation, String(seq))) === entry ? String(seq) : entry;
  const side = active ? "" : ` --branch ${quoted(safeLine(branch))}`;
  const words = `sessions show ${quoted(nameOf(first))} --at ${quoted(safeLine(place))} -C ${AROUND}${side}`;
  return [`Show the first hit in its place: ${nextCommand(words, call.values)}`];
}

function incompleteNote({ values }: Call): string {
  return `The search index is not complete yet. To complete it: ${nextCommand("search --rebuild", values)}`;
}

/** The view of `sessions show --at`. */
async function open(call: Call, hit: SearchHit | undefined): Promise<Result> {
  const { args, values } = call;
  if (hit === undefined) throw new ColloquyError("NOT_FOUND", nothingFound(call, args.join(" ")));
  const { run: show } = await import("../sessions/show.ts");
  const kept = ["store", "state-dir", "profile", "context"].flatMap((name) => {
    const value = values.get(name);
    return value === undefined || (name === "context" && hit.entry === null) ? [] : [[name, value] as const];
  });
  const at = hit.entry === null ? [] : [["at", hit.entry] as const];
  const branch = hit.active ? [] : [["branch", hit.branch] as const];
  return show({
    ...call,
    args: [hit.conversation],
    values: new Map([...kept, ...at, ...branch]),
    flags: new Set(),
  });
}
