/** The conversation that a user means: by id, key, the start of either, title, or row of the last list. */
import { ColloquyError } from "../../errors.ts";
import type { ListedConversation } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { isUuid } from "../../util/uuid.ts";
import type { Call } from "../command.ts";
import { ListedError } from "../exit.ts";
import { CUT } from "../terminal/cut-names.ts";
import { conversationTable, titleOf, trashTable } from "../view/conversation-view.ts";
import { rememberList, rowOf } from "./last-list.ts";
import { storeTarget } from "./store-target.ts";

const ROW = /^#([1-9]\d{0,5})$/;
const CANDIDATES_SHOWN = 10;

/** The reference as a session key, in the form of the store; `undefined` if it cannot be one. */
export function keyOf(store: Store, reference: string): string | undefined {
  if (!reference.includes(":")) return undefined;
  try {
    return store.resolveKey(reference);
  } catch (error) {
    if (error instanceof ColloquyError) return undefined;
    throw error;
  }
}

/** Whether it may be a whole id or key, which the store finds without a list. */
export function isExact(store: Store, reference: string): boolean {
  return isUuid(reference) || keyOf(store, reference) !== undefined;
}

/**
 * The id of the conversation, or `undefined` if there is none.
 *
 * A better match takes precedence: for `dm:4`, `discord:dm:4` over `discord:dm:42`. Several
 * equally good ones are an error that lists them.
 */
export async function findConversation(
  call: Call,
  store: Store,
  reference: string,
  trash = false,
): Promise<string | undefined> {
  const row = ROW.exec(reference)?.[1];
  if (row !== undefined) return rowOf(call, Number(row));
  const found = await bestMatches(store, reference, trash, false);
  // First words have to be read from every conversation.
  const isPhrase = reference.includes(" ") || reference.endsWith(CUT);
  const best = found.length === 0 && isPhrase ? await bestMatches(store, reference, trash, true) : found;
  if (best.length > 1) throw await ambiguous(call, store, reference, best, trash);
  return best[0]?.id;
}

async function bestMatches(
  store: Store,
  reference: string,
  trash: boolean,
  firstWords: boolean,
): Promise<readonly ListedConversation[]> {
  const found: ListedConversation[][] = MATCHES.map(() => []);
  for await (const info of store.list({ trash, firstWords })) {
    found[MATCHES.findIndex((matches) => matches(info, reference))]?.push(info);
  }
  return found.find((infos) => infos.length > 0) ?? [];
}

type Matches = (info: ListedConversation, reference: string) => boolean;

/** Best first. */
const MATCHES: readonly Matches[] = [
  (info, reference) => reference === restOf(info) || reference === titleOf(info),
  (info, reference) => reference.toLowerCase() === titleOf(info).toLowerCase(),
  (info, reference) => [info.id, restOf(info)].some((name) => isStartOf(reference, name)),
  (info, reference) => [info.id, info.key ?? "", titleOf(info)].some((name) => isCutOf(reference, name)),
];

/** Keys are lower-case where case does not matter, and few differ in case only. */
function isStartOf(reference: string, name: string): boolean {
  return name.toLowerCase().startsWith(reference.toLowerCase());
}

/** The part of the key after the channel. */
function restOf({ key }: ListedConversation): string {
  return key === null ? "" : key.slice(key.indexOf(":") + 1);
}

/** Whether a list shows a name like this where there is not enough room. */
function isCutOf(reference: string, name: string): boolean {
  if (!reference.includes(CUT)) return false;
  const [start = "", ...others] = reference.split(CUT);
  const end = others.pop() ?? "";
  const middle = name.slice(start.length, Math.max(start.length, name.length - end.length));
  return middle !== "" && name.startsWith(start) && name.endsWith(end) && middle.includes(others.join(CUT));
}

/** The candidates are a list: `#2` refers to the second one. */
async function ambiguous(
  call: Call,
  store: Store,
  reference: string,
  infos: readonly ListedConversation[],
  trash: boolean,
): Promise<ColloquyError> {
  const shown = await withFirstWords(store, infos.slice(0, CANDIDATES_SHOWN), trash);
  const names = shown.map((info) => {
    const [name, title] = [info.key ?? info.id, titleOf(info)];
    return title === "" ? name : `${name} ("${title}")`;
  });
  const ids = infos.map(({ id }) => id);
  if (!call.json) rememberList(call, storeTarget(call.values), ids.slice(0, CANDIDATES_SHOWN));
  const others = infos.length - shown.length;
  const heading = `"${reference}" matches ${infos.length} conversations${trash ? " in the trash" : ""}:`;
  const more = others > 0 ? ` and ${others} more` : "";
  return new ListedError(
    `${heading} ${names.join(", ")}${more}`,
    { field: "id", details: { candidates: ids } },
    heading,
    (out) => [...(trash ? trashTable : conversationTable)(out, shown), ...(others > 0 ? [`…${more}`] : [])],
  );
}

async function withFirstWords(
  store: Store,
  infos: readonly ListedConversation[],
  trash: boolean,
): Promise<ListedConversation[]> {
  const untitled = new Set(infos.filter((info) => titleOf(info) === "").map(({ id }) => id));
  const found = new Map(infos.map((info) => [info.id, info]));
  if (untitled.size === 0) return [...infos];
  for await (const info of store.list({ trash, firstWords: true })) {
    if (untitled.delete(info.id)) found.set(info.id, info);
    if (untitled.size === 0) break;
  }
  return [...found.values()];
}
