import type { StoredEntry } from "../../../message/types.ts";
import { isoTime } from "../../../util/time.ts";
import { isIntact, type Row, toEntry } from "../rows.ts";
import type { CheckedRows } from "./checked-rows.ts";
import type { Shape } from "./page-builder.ts";

/** As in a transcript: what this entry follows cannot be read. */
const PARENT_DAMAGED: readonly string[] = ["parent-damaged"];
const PARENT_DAMAGED_TEXT = `,"flags":${JSON.stringify(PARENT_DAMAGED)}}`;

export function entryShape(isChecked: (row: Row) => boolean = isIntact): Shape<StoredEntry> {
  return {
    itemOf: (row) => toEntry(row, isChecked),
    afterGap: (entry) => ({ ...entry, flags: PARENT_DAMAGED }),
  };
}

/** A message as the JSON text of its entry. */
export interface EntryText {
  readonly seq: number;
  readonly json: string;
  readonly hasBlobs: boolean;
}

export function textShape({ isKnown, isIntact: isChecked }: CheckedRows): Shape<EntryText> {
  return {
    itemOf(row) {
      const seq = row[1] as number;
      const hasBlobs = row[7] !== null;
      if (isKnown(row) && !hasBlobs) return { seq, json: textOf(row), hasBlobs };
      const entry = toEntry(row, isChecked);
      return entry && { seq, json: JSON.stringify(entry), hasBlobs };
    },
    afterGap: (item) => ({ ...item, json: item.json.slice(0, -1) + PARENT_DAMAGED_TEXT }),
  };
}

/** The text of `toEntry`. The body is JSON already. */
function textOf([id, seq, parentId, kind, at, operation, body]: Row): string {
  const place = `"id":${quoted(id)},"seq":${seq},"parentId":${quoted(parentId)}`;
  const operationId = operation === null ? "" : `,"operationId":${quoted(operation)}`;
  return `{${place},"kind":"${kind}","at":"${isoTime(at as number)}","message":${body}${operationId}}`;
}

/** Most ids need no escapes. */
const PLAIN = /^[\w-]+$/;

function quoted(value: unknown): string {
  return typeof value === "string" && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}
