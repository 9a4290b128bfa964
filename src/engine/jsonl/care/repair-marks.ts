import { copyFile } from "../../../disk/copy-file.ts";
import { freeName } from "../../../disk/replace-file.ts";
import { timestamp17 } from "../../../util/time.ts";
import type { FindingList } from "../../findings.ts";
import type { JsonlContext } from "../jsonl-context.ts";

/** Unreadable marks of purged conversations are moved to a separate file. */
export function repairMarks({ marks, io, random, nowMs }: JsonlContext, done: FindingList): void {
  const lines = marks.unreadable();
  if (lines.length === 0) return;
  const aside = freeName(io, `${marks.path}.bad-${timestamp17(nowMs())}`);
  copyFile(io, marks.path, aside);
  marks.rewrite(random);
  for (const line of lines) {
    const message = `the mark of a purged conversation does not match its checksum; set aside as ${aside}`;
    done.add({ code: "bad-mark", conversation: null, source: marks.path, line, message });
  }
}
