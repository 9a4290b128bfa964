/** How turns end: by their owner, or by the next writer after their process died. */
import type { EntryPage, OpenTurn } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { EndState, Entry, MessageEntry, MessageInput, StoredEntry } from "../../message/types.ts";
import { liveBranches, ownerOf, type Tree } from "../../tree/tree.ts";
import { isJsonObject, type JsonObject } from "../../util/json.ts";
import type { StoreAccess } from "../access.ts";
import { readEntries } from "../read/entries.ts";
import { PAGE_BYTES_DEFAULT } from "../read/entry-query.ts";
import { logEndOf } from "../read/lookups.ts";
import { type PendingEntry, pendingEntry, pendingMessages, write } from "../write/writing.ts";
import { Lease } from "./lease.ts";
import type { Turn } from "./turn.ts";

const PAGE_ENTRIES = 1000;

/** The last entry of a turn: its answer, or a record that there was none. */
export function pendingEnd(
  store: StoreAccess,
  turn: string,
  header: JsonObject,
  message: MessageInput | undefined,
  text: string,
  state: EndState,
  nowMs: number,
): PendingEntry {
  const id = `${turn}/end`;
  // What a turn noted matters to its successor only.
  const note = state === "interrupted" && isJsonObject(header.note) ? { note: header.note } : undefined;
  if (message === undefined && text.trim() === "") {
    return pendingEntry(store, "info", { type: "turn", turn, state, ...note }, nowMs, id);
  }
  const model = typeof header.model === "string" ? { model: header.model } : {};
  const given = message ?? { role: "assistant" as const, content: text };
  const answer = note === undefined ? given : { ...given, provenance: { ...given.provenance, ...note } };
  const [pending] = pendingMessages(store, { ...model, ...answer, endState: state, id }, nowMs);
  return pending as PendingEntry;
}

export function ended(id: string): ColloquyError {
  return new ColloquyError("CONFLICT", `Turn ${id} has ended`, { field: "turn", details: { turn: id } });
}

/** A turn in progress. */
export interface TurnUnderWay {
  readonly id: string;
  /** The text that was streamed since the last message. */
  readonly text: string;
  /** `null` if its branch was pruned. */
  readonly branch: string | null;
  readonly model: string | null;
  readonly startedAt: string;
}

export async function describeTurn(
  store: StoreAccess,
  conversation: string,
): Promise<TurnUnderWay | undefined> {
  const open = await openTurn(store, conversation);
  if (open === undefined) return undefined;
  const { branch, model, startedAt } = open.header;
  return {
    id: open.id,
    text: open.text,
    branch: (await branchName(store, conversation, () => branch)) ?? null,
    model: typeof model === "string" ? model : null,
    startedAt: String(startedAt),
  };
}

/** The name of the branch that has the id which `idIn` returns; `undefined` if it was pruned. */
export async function branchName(
  store: StoreAccess,
  conversation: string,
  idIn: (tree: Tree) => unknown,
): Promise<string | undefined> {
  const { tree } = await logEndOf(store, conversation);
  const wanted = idIn(tree);
  return liveBranches(tree).find(({ id }) => id === wanted)?.name;
}

/** The turn in progress, with its text from `from` on. */
export function openTurn(store: StoreAccess, conversation: string, from = 0): Promise<OpenTurn | undefined> {
  return store.ask((engine) => engine.turn(conversation, from));
}

/**
 * Seal the partial answer of a process that died. A
 * turn whose holder is alive is left unchanged.
 */
export async function sealInterrupted(store: StoreAccess, conversation: string): Promise<void> {
  let lease: Lease;
  try {
    lease = await Lease.acquire(store, conversation, {});
  } catch (error) {
    if (error instanceof ColloquyError && error.field === "lease") return;
    throw error;
  }
  try {
    await sealWith(store, conversation, lease);
  } finally {
    await lease.release();
  }
}

/** The caller has the lease, so the process that started the turn has lost it. */
export async function sealWith(store: StoreAccess, conversation: string, lease: Lease): Promise<void> {
  const open = await openTurn(store, conversation);
  if (open === undefined) return;
  const nowMs = store.nowMs();
  const branch = open.header.branch as number;
  const options = { branch, expectedHead: undefined, epoch: lease.epoch, endsTurn: open.id };
  const text = (await isInLog(store, conversation, open)) ? "" : open.text;
  const pending = pendingEnd(store, open.id, open.header, undefined, text, "interrupted", nowMs);
  try {
    await write(store, conversation, [pending], { ...options, operationId: `${open.id}/end` }, nowMs);
  } catch (error) {
    if (!(error instanceof ColloquyError) || !["CONFLICT", "NOT_FOUND"].includes(error.code)) throw error;
    // Its end was written, and only the journal is left; or its branch was pruned, but the text is kept.
    const written = (await entriesOfTurn(store, conversation, open.id)).length > 0;
    const words = written ? {} : { text };
    const note = pendingEntry(
      store,
      "info",
      { type: "turn", turn: open.id, state: "interrupted", ...words },
      nowMs,
    );
    const { branch: _, ...anywhere } = options;
    await write(store, conversation, [note], { ...anywhere, operationId: undefined }, nowMs);
  }
}

/** A file engine writes the message first and then empties the journal: the text may have become that message. */
async function isInLog(store: StoreAccess, conversation: string, open: OpenTurn): Promise<boolean> {
  if (open.text === "") return false;
  const part = Number(open.header.part ?? 1);
  const own = await entriesOfOpenTurn(store, conversation, open.id);
  return own.some(({ message, operationId }) => {
    const step = stepOf(open.id, operationId);
    return message?.role === "assistant" && typeof step === "number" && step >= part;
  });
}

/** The turn that ended under this id, with its entries. */
export async function findEnded(
  store: StoreAccess,
  conversation: string,
  operationId: string,
): Promise<Turn | undefined> {
  const own = await entriesOfTurn(store, conversation, operationId);
  if (own.length === 0) return undefined;
  const written = own.filter((entry): entry is MessageEntry => entry.kind === "message");
  const end = own.at(-1);
  const state = (end === undefined ? undefined : endStateOf(end)) ?? "finished";
  return {
    id: operationId,
    state,
    text: "",
    entries: written,
    noted: end === undefined ? undefined : noteOf(end),
    branch: () => {
      const seq = (written.at(-1) ?? end)?.seq ?? 0;
      return branchName(store, conversation, (tree) => ownerOf(tree, seq));
    },
    note: async () => {
      throw ended(operationId);
    },
    add: async () => {
      throw ended(operationId);
    },
    delta: () => {
      throw ended(operationId);
    },
    finish: async () => written.at(-1),
    [Symbol.asyncDispose]: async () => {},
  };
}

function noteOf({ data, message }: Entry): JsonObject | undefined {
  const note = message === undefined ? isJsonObject(data) && data.note : message.provenance?.note;
  return isJsonObject(note) ? note : undefined;
}

/** How the turn ended whose last entry this is. */
export function endStateOf(end: Entry): EndState | undefined {
  return end.kind === "info" ? (end.data.state as EndState | undefined) : end.message?.endState;
}

/** The number of an entry within its turn, or `end`; `undefined` if it belongs to another turn. */
export function stepOf(turn: string, operationId: string | undefined): number | "end" | undefined {
  if (operationId === undefined || !operationId.startsWith(`${turn}/`)) return undefined;
  const step = operationId.slice(turn.length + 1);
  if (step === "end") return step;
  return /^[1-9][0-9]*$/.test(step) ? Number(step) : undefined;
}

/** The entries of a turn that has ended, its end last; none if it has not ended. */
export async function entriesOfTurn(
  store: StoreAccess,
  conversation: string,
  turn: string,
): Promise<Entry[]> {
  const seq = await store.ask((engine) => engine.locate(conversation, `${turn}/end`));
  if (seq === undefined) return [];
  const own = await entriesBefore(store, conversation, turn, seq + 1);
  return own.at(-1)?.operationId === `${turn}/end` ? own : [];
}

/** The entries of a turn in progress. */
export function entriesOfOpenTurn(store: StoreAccess, conversation: string, turn: string): Promise<Entry[]> {
  return entriesBefore(store, conversation, turn, null);
}

/** Read backwards until the first entry of the turn, or the end of the turn before it: one runs at a time. */
async function entriesBefore(
  store: StoreAccess,
  conversation: string,
  turn: string,
  end: number | null,
): Promise<Entry[]> {
  const pages: StoredEntry[][] = [];
  for (let from = end, isBegun = false; !isBegun; ) {
    const { entries, more }: EntryPage = await store.ask((engine) =>
      engine.page({
        conversation,
        direction: "backward",
        from,
        limit: PAGE_ENTRIES,
        bytesMax: PAGE_BYTES_DEFAULT,
        branch: null,
      }),
    );
    pages.unshift(entries.filter(({ operationId }) => stepOf(turn, operationId) !== undefined));
    isBegun =
      !more || entries.some((entry) => stepOf(turn, entry.operationId) === 1 || endsAnother(turn, entry));
    from = entries[0]?.seq ?? null;
  }
  return readEntries(store, pages.flat());
}

function endsAnother(turn: string, { id, operationId, kind, message }: StoredEntry): boolean {
  const isEnd = id === operationId && id.endsWith("/end") && id !== `${turn}/end`;
  return isEnd && (kind === "info" || message?.endState !== undefined);
}
