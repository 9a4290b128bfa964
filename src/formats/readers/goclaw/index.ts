/**
 * Sessions of goclaw, version 1: one message a line, without ids.
 *
 * The first line is usually `{"_type":"metadata"}` without a version; with
 * version 2 the file is read by the reader of our own format.
 */
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import { stemOf } from "../shared/file-name.ts";
import { type FlatLines, FlatReader, withFingerprint } from "../shared/flat-reader.ts";
import { statedIn } from "../shared/stated.ts";

const LINES: FlatLines = {
  format: "goclaw",
  // File names are escaped session keys, which may repeat in two folders.
  sourceId: (path, { role = null, content = null, timestamp = null }) =>
    withFingerprint(stemOf(path), role, content, timestamp),
  describe: (early) => {
    const header = early.find(({ _type: type }) => type === "metadata");
    return {
      ...statedIn(header ?? {}),
      about: objectIn(header?.metadata),
    };
  },
};

export const goclaw: FormatWith<"lines"> = {
  name: LINES.format,
  lines: {
    sniff: (records) => {
      const [first] = records;
      if (first?._type === "metadata") return isHeader(first);
      const isOwn = records.some((record) => isMessage(record) || isHeader(record));
      return isOwn && !records.some(({ parent_id: parent }) => parent !== undefined);
    },
    open: (sink, around, state) => new FlatReader(LINES, sink, around, state),
  },
};

function isHeader({ _type: type, version }: JsonObject): boolean {
  return type === "metadata" && !((numberIn(version) ?? 1) >= 2);
}

function isMessage({ role, content, timestamp }: JsonObject): boolean {
  return filledIn(role) !== undefined && content !== undefined && timestamp !== undefined;
}
