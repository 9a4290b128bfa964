/** The sub-agents of an imported conversation, which are conversations of their own. */
import { ColloquyError } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";
import { madeId } from "../contract/ids.ts";
import { isFileOf } from "./session-files.ts";

/** What the first entry of an imported conversation says. */
export interface Introduction {
  readonly format: string;
  readonly sourceId: string;
  readonly about: JsonObject;
  /** The id of the conversation that started this one, in its source. */
  readonly parent: string | undefined;
}

/** `NOT_FOUND` if it was not imported. */
export async function introductionOf(chat: Conversation): Promise<Introduction> {
  const found = await introductionIn(chat);
  if (found !== undefined) return found;
  throw new ColloquyError("NOT_FOUND", `Conversation ${chat.id} does not say which tool it came from`);
}

async function introductionIn(chat: Conversation): Promise<Introduction | undefined> {
  const entry = await chat.entry(madeId("import", chat.id));
  return entry && introductionFrom(entry);
}

export function introductionFrom({ data }: Pick<StoredEntry, "data">): Introduction | undefined {
  const { format, source_id: sourceId, about, parent } = isPlainObject(data) ? data : {};
  if (typeof format !== "string" || typeof sourceId !== "string") return undefined;
  const above = isPlainObject(parent) ? parent.source_id : undefined;
  return {
    ...{ format, sourceId, about: isPlainObject(about) ? (about as JsonObject) : {} },
    parent: typeof above === "string" && above !== "" ? above : undefined,
  };
}

/** A conversation of a sub-agent. */
export interface Agent extends Introduction {
  readonly id: string;
}

/**
 * The sub-agents of a conversation, and those that they started. `files` are its sources: a fork has another id than
 * the conversation that it belongs to, and it is in the name of its file.
 */
export async function agentsOf(
  store: Store,
  chat: Conversation,
  { format, sourceId }: Introduction,
  files: readonly string[],
): Promise<Agent[]> {
  // Version 1.0 of Claude Code gave the lines of a copy its own times: then the session has begun before it seems to.
  const waiting = await startedSince(store, chat, format, files.length > 1);
  const found: Agent[] = [];
  const isOurs = ({ parent = "" }: Agent): boolean =>
    parent === sourceId ||
    files.some((file) => isFileOf(file, parent)) ||
    found.some((agent) => agent.sourceId === parent);
  for (let agent = waiting.find(isOurs); agent !== undefined; agent = waiting.find(isOurs)) {
    waiting.splice(waiting.indexOf(agent), 1);
    found.push(agent);
  }
  return found;
}

/** As many are asked for together: each is two questions to the store, and a tool may have thousands. */
const TOGETHER = 200;

/** All sub-agents of the same tool that were active after the conversation began, or `ever`. */
async function startedSince(
  store: Store,
  chat: Conversation,
  format: string,
  ever: boolean,
): Promise<Agent[]> {
  const { channel, createdAt } = await chat.info();
  const agents: Agent[] = [];
  let ids: string[] = [];
  const look = async (): Promise<void> => {
    const looked = await Promise.all(ids.map((id) => agentIn(store, id, format)));
    agents.push(...looked.filter((agent) => agent !== undefined));
    ids = [];
  };
  const since = ever ? {} : { after: createdAt };
  for await (const { id } of store.list({ ...since, ...(channel === null ? {} : { channel }) })) {
    if (id !== chat.id && ids.push(id) === TOGETHER) await look();
  }
  await look();
  return agents;
}

async function agentIn(store: Store, id: string, format: string): Promise<Agent | undefined> {
  const chat = await store.get(id);
  const known = chat === undefined ? undefined : await introductionIn(chat);
  return known?.format === format && known.parent !== undefined ? { id, ...known } : undefined;
}
