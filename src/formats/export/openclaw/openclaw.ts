/**
 * A session file of pi, version 3, as OpenClaw and pi read it.
 *
 * Their tree is ours: entries with parents. Their place in it is the last
 * entry of the file, so labels and the title follow at the end, below the head
 * of the checked-out branch.
 */

import type { ExportEntry, Snapshot } from "../../../store/read/snapshot.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../util/json.ts";
import { timeOf } from "../../../util/time.ts";
import { madeId } from "../../contract/ids.ts";
import type { Cleaner } from "../cleaning.ts";
import type { Wanted } from "../options.ts";
import { PiMessages } from "./openclaw-messages.ts";

const VERSION = 3;

export async function* openclaw(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<string, void, undefined> {
  const { id, createdAt } = snapshot.info;
  yield lineOf({ type: "session", version: VERSION, id, timestamp: createdAt, cwd: "" });
  const writer = new PiWriter(snapshot, cleaner);
  const chosen = snapshot.branch(wanted.branch);
  for await (const entry of wanted.all ? snapshot.log() : snapshot.path(chosen)) {
    for (const line of writer.lines(cleaner.entry(entry))) yield lineOf(line);
  }
  const head = snapshot.described(chosen.id)?.head ?? null;
  for (const line of writer.end(head)) yield lineOf(line);
}

function lineOf(record: JsonObject): string {
  return `${JSON.stringify(record)}\n`;
}

class PiWriter {
  readonly #snapshot: Snapshot;
  readonly #cleaner: Cleaner;
  readonly #messages = new PiMessages();
  readonly #undone: ReadonlySet<string>;
  /** Where an entry begins that became several. */
  readonly #starts = new Map<string, string>();
  readonly #written = new Set<string>();
  #last: string | null = null;

  constructor(snapshot: Snapshot, cleaner: Cleaner) {
    this.#snapshot = snapshot;
    this.#cleaner = cleaner;
    this.#undone = new Set(snapshot.tree.compactions.filter(({ undone }) => undone).map(({ id }) => id));
  }

  lines(entry: ExportEntry): JsonObject[] {
    // Entries on no branch record changes of the tree, which the tree itself shows.
    if (entry.branch < 0) return [];
    const records = this.#records(entry);
    const { id, parentId, at } = entry;
    let parent = parentId;
    const lines = records.map(({ type, ...members }, index) => {
      const own = index === records.length - 1 ? id : madeId(id, index);
      if (index === 0 && own !== id) this.#starts.set(id, own);
      const line = { type, id: own, parentId: parent, timestamp: at, ...members };
      parent = own;
      return line;
    });
    this.#last = id;
    this.#written.add(id);
    return lines;
  }

  /** Labels, the title, and the leaf where the conversation continues. */
  end(head: string | null): JsonObject[] {
    const { info, tree } = this.#snapshot;
    const records: JsonObject[] = tree.labels
      .filter(([entry]) => this.#written.has(entry))
      .map(([entry, label]) => ({ type: "label", targetId: entry, label: this.#cleaner.text(label) }));
    if (info.title !== null) records.push({ type: "session_info", name: this.#cleaner.text(info.title) });
    if (records.length === 0 && this.#last !== head) {
      records.push({ type: "custom", customType: "colloquy", data: { head } });
    }
    let parentId = head;
    return records.map(({ type, ...members }, index) => {
      const id = madeId(info.id, "end", index);
      const line = { type, id, parentId, timestamp: info.updatedAt, ...members };
      parentId = id;
      return line;
    });
  }

  #records({ id, kind, at, parentId, message, data }: ExportEntry): JsonObject[] {
    if (message !== undefined) return this.#messages.records(message, timeOf(at), this.#snapshot.info.model);
    const held = isJsonObject(data) ? data : {};
    if (kind === "compaction" && !this.#undone.has(id)) return [this.#compaction(id, held)];
    if (kind === "branch_summary") {
      const fromId =
        typeof held.from === "string" ? held.from : (this.#headOf(held.branch) ?? parentId ?? "root");
      return [{ type: "branch_summary", fromId, summary: held.summary ?? "" }];
    }
    if (kind === "info" && held.type === "model" && typeof held.model === "string") {
      return [{ type: "model_change", provider: held.provider ?? "unknown", modelId: held.model }];
    }
    return [{ type: "custom", customType: `colloquy:${kind}`, data: data ?? null }];
  }

  /** A compaction that keeps nothing names its own id as the first kept entry. */
  #compaction(id: string, { summary, first_kept: kept, tokens_before: tokens }: JsonObject): JsonObject {
    const first = typeof kept === "string" ? (this.#starts.get(kept) ?? kept) : id;
    return {
      type: "compaction",
      summary: summary ?? "",
      firstKeptEntryId: first,
      tokensBefore: typeof tokens === "number" ? tokens : 0,
    };
  }

  #headOf(name: Json | undefined): string | undefined {
    return this.#snapshot.branches.find((branch) => branch.name === name)?.head ?? undefined;
  }
}
