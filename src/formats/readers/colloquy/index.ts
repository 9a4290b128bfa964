/**
 * Our own formats: the JSON document of an export, and JSONL of version 2 as
 * the JSONL engine, an export or another program writes it.
 *
 * Changes of the tree are in the log as entries on no branch. The reader reports
 * the branches that result from them.
 */
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, objectsIn, textIn, timeIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import type { SourceTree } from "../../contract/reader.ts";
import { unplaced } from "../shared/records.ts";
import { BranchNames } from "./branch-names.ts";
import { addColloquyEntry, ownId } from "./entry.ts";
import { ColloquyLinesReader } from "./lines.ts";
import { OddParents } from "./odd-parents.ts";

export const colloquy: FormatWith<"lines" | "document"> = {
  name: "colloquy",
  lines: {
    sniff: (records) => {
      const [first] = records;
      if (first?._type === "metadata") return (numberIn(first.version) ?? 1) >= 2;
      // The first line may be damaged, and a former v1 file may continue as v2.
      return records.some(
        ({ role, id, parent_id: parent }) => role !== undefined && id !== undefined && parent !== undefined,
      );
    },
    open: (sink, around) => new ColloquyLinesReader(sink, around),
  },
  document: {
    sniff: ({ colloquy, entries }) => typeof colloquy === "number" && Array.isArray(entries),
    read(record, sink) {
      const value = objectIn(record.value);
      if (value === undefined) {
        sink.skip(record, "not an object");
        return;
      }
      const { entries, blobs } = value;
      const info = objectIn(value.info) ?? {};
      const sourceId = filledIn(info.id);
      if (sourceId === undefined) {
        sink.skip(record, "not a conversation: info.id is missing");
        return;
      }
      if ((numberIn(value.colloquy) ?? 0) > 1) sink.unknown(`version ${value.colloquy}`);
      const conversation = sink.conversation({
        sourceId,
        id: ownId(sourceId),
        key: filledIn(info.key),
        title: filledIn(info.title),
        model: filledIn(info.model),
        channel: filledIn(info.channel),
        createdAt: timeIn(info.createdAt),
        verbatim: true,
        tree: treeOf(value),
      });
      for (const bytes of Object.values(objectIn(blobs) ?? {})) {
        if (typeof bytes === "string") conversation.blob(bytes);
      }
      const names = new BranchNames();
      const odd = new OddParents();
      for (const entry of objectsIn(entries)) {
        names.count(entry);
        odd.count(entry);
      }
      for (const item of listIn(entries)) {
        const own = unplaced(item);
        const entry = objectIn(item);
        if (entry === undefined) conversation.note(own);
        else {
          addColloquyEntry(entry, own, {
            sink,
            conversation,
            verbatim: true,
            odd,
            branchName: (branch) => names.of(branch),
          });
        }
      }
    },
  },
  // The JSONL engine keeps a metadata file beside each log.
  companions: /\.meta\.json$/,
};

function treeOf({ branches, active, entries }: JsonObject): SourceTree {
  return {
    branches: objectsIn(branches).map(({ name, head }) => ({
      name: textIn(name) ?? "main",
      head: textIn(head) ?? null,
    })),
    active: textIn(active) ?? "main",
    undone: objectsIn(entries).flatMap(({ data }) => {
      const { type, compaction } = objectIn(data) ?? {};
      return type === "undo-compaction" && typeof compaction === "string" ? [compaction] : [];
    }),
  };
}
