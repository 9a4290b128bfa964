/** Converts entries of pi that are not messages. */
import { defined, type JsonObject } from "../../../../util/json.ts";
import { filledIn, numberIn, textIn } from "../../../../util/values.ts";
import { madeId } from "../../../contract/ids.ts";
import type { SourceEntry } from "../../../contract/reader.ts";
import { idIn } from "../whole-tree-blocks.ts";
import type { PiTree } from "./tree.ts";

export interface PiPlace {
  readonly format: string;
  /** The id of the conversation, from which ids are made for entries without one. */
  readonly sourceId: string;
  readonly id: string;
  /** As the source names it. */
  readonly parent: string | null;
  /** The entry that was shown before this one. */
  readonly shown: string | null;
  readonly tree: PiTree;
}

type Made = Pick<SourceEntry, "kind" | "data">;

/** Entries on a path. `undefined` for every other type. */
export function pathEntry(entry: JsonObject, place: PiPlace): Made | undefined {
  switch (entry.type) {
    case "model_change": {
      const [model, provider] = [filledIn(entry.modelId) ?? filledIn(entry.model), filledIn(entry.provider)];
      return { kind: "info", data: defined({ type: "model", model, provider }) };
    }
    case "thinking_level_change":
      return {
        kind: "info",
        data: defined({ type: "thinking-level", level: filledIn(entry.thinkingLevel) }),
      };
    case "compaction":
      return compaction(entry, place);
    case "branch_summary":
      return branchSummary(entry, place);
    case "reset":
      return {
        kind: "info",
        data: { type: "reset", first_kept: firstKept(entry, place), ...reasonIn(entry) },
      };
    default:
      return undefined;
  }
}

function reasonIn({ reason }: JsonObject): JsonObject {
  return defined({ reason: filledIn(reason) });
}

function compaction(entry: JsonObject, place: PiPlace): Made {
  const summary = filledIn(entry.summary);
  const data = {
    strategy: place.format,
    first_kept: firstKept(entry, place),
    ...defined({ tokens_before: numberIn(entry.tokensBefore), tokens_after: numberIn(entry.tokensAfter) }),
  };
  if (summary === undefined) return { kind: "info", data: { type: "compaction", ...data } };
  return { kind: "compaction", data: { summary, ...data } };
}

/** Its own id means that nothing was kept. Where entries have no ids it is a number, with the header as 0. */
function firstKept(entry: JsonObject, { id, sourceId, tree }: PiPlace): string | null {
  const index = numberIn(entry.firstKeptEntryIndex);
  const named = index === undefined ? idIn(entry.firstKeptEntryId) : indexId(sourceId, Math.max(1, index));
  return named === undefined || named === id ? null : tree.resolveForward(named);
}

/** The id for an entry without one, by its position after the header. */
export function indexId(sourceId: string, index: number): string {
  return madeId(sourceId, index);
}

/**
 * The branch that was left. Early releases named the entry to which the
 * user went back, which is the parent. It means the entry shown until then.
 */
function branchSummary(entry: JsonObject, { parent, shown, tree }: PiPlace): Made {
  const named = idIn(entry.fromId);
  const isTarget = named === undefined || named === "root" || named === parent;
  return {
    kind: "branch_summary",
    data: { summary: textIn(entry.summary) ?? "", from: tree.resolve(isTarget ? shown : named) },
  };
}
