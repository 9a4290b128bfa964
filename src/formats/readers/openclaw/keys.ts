/** The transcript that each session key of OpenClaw leads to, and facts about it. */
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn } from "../../../util/values.ts";

export interface OpenclawKey {
  readonly key: string;
  readonly label: string | undefined;
  readonly displayName: string | undefined;
  readonly channel: string | undefined;
  readonly chatType: string | undefined;
  readonly subject: string | undefined;
  /** The key of the session that started this one. */
  readonly spawnedBy: string | undefined;
  readonly model: string | undefined;
}

/**
 * The keys of `sessions.json`, by the id of the transcript that each leads to
 * now. A key survives resets, but its former transcripts are not listed.
 */
export function openclawKeys(index: Json): Map<string, OpenclawKey> {
  const keys = new Map<string, OpenclawKey>();
  for (const [key, value] of Object.entries(objectIn(index) ?? {})) {
    const entry = objectIn(value);
    if (entry === undefined) continue;
    const known = keyOf(key, entry);
    for (const id of idsOf(entry)) if (!keys.has(id)) keys.set(id, known);
  }
  return keys;
}

/** Reads an entry of the index. Databases keep the same object as text. */
export function keyOf(key: string, entry: JsonObject): OpenclawKey {
  return {
    key,
    label: filledIn(entry.label),
    displayName: filledIn(entry.displayName),
    channel: filledIn(entry.channel) ?? filledIn(entry.lastChannel),
    chatType: filledIn(entry.chatType),
    subject: filledIn(entry.subject),
    spawnedBy: filledIn(entry.spawnedBy),
    model: filledIn(entry.model),
  };
}

/** A topic's transcript has the session's id and the topic's in its name, which only the path says. */
function idsOf({ sessionId, sessionFile }: JsonObject): string[] {
  const id = filledIn(sessionId);
  const name = filledIn(sessionFile)
    ?.split(/[\\/]/)
    .at(-1)
    ?.replace(/\.jsonl$/, "");
  const isTopic = id !== undefined && name?.startsWith(`${id}-topic-`) === true;
  if (isTopic) return [name as string];
  return id === undefined ? [] : [id];
}

/** Whether a value is `sessions.json`: nothing but session keys and their transcripts. */
export function isOpenclawIndex(value: JsonObject): boolean {
  const entries = Object.entries(value);
  const leads = ([key, entry]: (typeof entries)[number]): boolean =>
    filledIn(objectIn(entry)?.sessionId) !== undefined && (key.includes(":") || key === "main");
  return entries.some(leads) && entries.every(([, entry]) => objectIn(entry) !== undefined);
}
