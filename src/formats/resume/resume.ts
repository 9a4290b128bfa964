/** Puts the sources of an imported conversation back where its tool looks for them, and says how to continue there. */
import { ColloquyError } from "../../errors.ts";
import type { Conversation } from "../../store/conversation.ts";
import { originalIn, provenanceIn } from "../../store/originals/provenance.ts";
import type { Store } from "../../store/store.ts";
import type { PlaceRoots, ResumableSource, ResumeRule } from "../contract/format.ts";
import { attachedFiles } from "../export/original/attached-files.ts";
import { type OriginalSource, originalSources } from "../export/original/original.ts";
import { isThere } from "../export/original/what-is-there.ts";
import { FORMATS } from "../readers/index.ts";
import { type Agent, agentsOf, type Introduction, introductionOf } from "./agents.ts";
import { folderOf, foldersOf, partsOf } from "./places.ts";
import { type RestoredFile, restore } from "./restore.ts";
import { rowFile } from "./row-files.ts";
import { conversationsIn, isFileOf } from "./session-files.ts";
import { sourcesOf } from "./sources.ts";

export interface Resumable {
  readonly tool: string;
  readonly files: readonly RestoredFile[];
  /** Commands that have to run first, such as one that reads a restored file. */
  readonly before: readonly (readonly string[])[];
  /** The words of the tool's command. */
  readonly command: readonly string[];
  /** The folder to run it in. */
  readonly cwd: string | null;
  readonly notes: readonly string[];
}

/**
 * `NOT_FOUND` if nothing of it was imported, `NOT_SUPPORTED` if its tool cannot continue it. Files for a command of
 * the tool to read go to `folder`. Of several sessions, `session` is continued, or the one that is checked out.
 */
export async function resumeConversation(
  store: Store,
  id: string,
  roots: PlaceRoots,
  folder: string,
  session?: string,
): Promise<Resumable> {
  const chat = await store.get(id);
  if (chat === undefined) throw new ColloquyError("NOT_FOUND", `There is no conversation ${id}`);
  const sources = (await originalSources(store, id)).filter(({ isFormer }) => !isFormer);
  const introduction = await introductionOf(chat);
  const { format, sourceId, about } = introduction;
  const rule = FORMATS.find(({ name }) => name === format)?.resume;
  if (rule === undefined) {
    throw new ColloquyError(
      "NOT_SUPPORTED",
      `Conversations of ${format} cannot be continued where they came from. Use colloquy export to write a file`,
    );
  }
  const { key } = await chat.info();
  const cwd = folderOf(about);
  const { original, added } = await lastSource(chat);
  const own = sources.filter(({ isBeside }) => !isBeside);
  const named = session === undefined ? undefined : own.find(({ file }) => isFileOf(file, session));
  const last = named ?? own.find(({ number }) => number === original) ?? own.at(-1);
  const shown = { parts: partsOf(last?.file ?? ""), sourceId, key, cwd, about };
  const command = commandOf(rule, rule.command(shown, rule.place(shown, roots)));
  const agents = await agentsOf(
    store,
    chat,
    introduction,
    own.map(({ file }) => file),
  );
  const files = new Map<string, RestoredFile>();
  const isArchived = archivedPlace(rule, shown, roots) !== undefined;
  const before = isArchived && rule.archive ? [rule.archive.command(command.at(-1) ?? "")] : [];
  let lost = 0;
  for (const part of [{ id, ...introduction }, ...agents]) {
    // The files of a sub-agent are with those of the session, whatever folder it worked in.
    const { sourceId, about } = part;
    const beside = part.id === id ? await conversationsBeside(store, introduction, id, own, agents) : [];
    for await (const source of allSources(store, part.id, own, beside)) {
      const one = { parts: partsOf(source.file), sourceId, key, cwd, about };
      const path = archivedPlace(rule, one, roots) ?? rule.place(one, roots);
      if (path !== undefined && !files.has(path)) files.set(path, await restore(source, path));
    }
    const rows = await rowFile(store, part, rule, roots, folder);
    if (rows === "lost") lost++;
    else if (rows !== undefined) {
      files.set(rows.path, await restore(rows.source, rows.path));
      before.push(rows.command);
    }
  }
  const all = [...files.values()];
  const notes = notesOf(rule, all, added, lost);
  return { tool: rule.tool, files: all, before, command, cwd: cwd ?? null, notes };
}

/**
 * Version 1.0 of Claude Code wrote the lines of sub-agents among those of the session. The file of a sub-agent alone
 * would take the place of the session's.
 */
async function conversationsBeside(
  store: Store,
  { parent }: Introduction,
  id: string,
  own: readonly OriginalSource[],
  agents: readonly Agent[],
): Promise<string[]> {
  if (parent === undefined) return agents.map((agent) => agent.id);
  const files = new Set(own.map(({ file }) => file));
  return (await conversationsIn(store, (file) => files.has(file))).filter((other) => other !== id);
}

/** Its place in the archive of the tool, if it is only there. */
function archivedPlace(rule: ResumeRule, source: ResumableSource, roots: PlaceRoots): string | undefined {
  const archived = rule.archive?.place(source, roots);
  if (archived === undefined || !isThere(archived)) return undefined;
  const place = rule.place(source, roots);
  return place !== undefined && isThere(place) ? undefined : archived;
}

/** The last word comes from a source, which may be hostile: no tool may take it for an option. */
function commandOf({ tool }: ResumeRule, words: readonly string[] | undefined): readonly string[] {
  if (words === undefined) {
    throw new ColloquyError(
      "NOT_SUPPORTED",
      `${tool} has no command that continues this conversation. Use colloquy export to write a file`,
    );
  }
  const id = words.at(-1) ?? "";
  if (!id.startsWith("-")) return words;
  throw new ColloquyError(
    "NOT_SUPPORTED",
    `${tool} would take the id of this conversation, "${id}", for an option. Use colloquy export to write a file`,
  );
}

/**
 * Those that were files, and the files of their messages. The latter are only put back into the folder that a session
 * has beside its transcript: elsewhere, a forged name could make a file that the tool takes for its own.
 */
async function* allSources(
  store: Store,
  id: string,
  sessions: readonly OriginalSource[],
  beside: readonly string[],
): AsyncGenerator<OriginalSource, void, undefined> {
  const sources = (await sourcesOf(store, id, beside)).filter(({ isFormer }) => !isFormer);
  yield* sources.filter(({ form, isElement }) => form !== "rows" && !isElement);
  const folders = foldersOf(sessions.map(({ file }) => file));
  yield* attachedFiles(store, id, sources, (file) => folders.some((folder) => file.startsWith(folder)));
}

/** The newest messages are looked at for the file that they came from. */
const LOOKED_AT = 500;

/** Of several originals, the one that the checked-out branch ends in; and how many messages were added here since. */
async function lastSource(chat: Conversation): Promise<{ original: number | undefined; added: number }> {
  const { items } = await chat.messages({ last: LOOKED_AT, blobs: "references" });
  let added = 0;
  for (const entry of items.toReversed()) {
    if ("import" in provenanceIn(entry)) return { original: originalIn(entry), added };
    added++;
  }
  return { original: undefined, added };
}

function notesOf(
  { tool, note }: ResumeRule,
  files: readonly RestoredFile[],
  added: number,
  lost: number,
): string[] {
  const isThere = files.some(({ state }) => state === "same");
  return [
    ...(lost === 0 ? [] : [`Not everything can be put back: ${tool} must still have the session`]),
    ...(added === 0 ? [] : [`${tool} does not know ${newest(added)} added here`]),
    ...(note === undefined || isThere ? [] : [note]),
  ];
}

function newest(count: number): string {
  return count === 1 ? "the newest message, which was" : `the ${count} newest messages, which were`;
}
