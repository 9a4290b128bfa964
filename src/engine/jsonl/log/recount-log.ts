import type { FileIo } from "../../../disk/file-io.ts";
import { withFile } from "../../../disk/with-file.ts";
import { advance, EMPTY_LOG, type LogState } from "../../../transcript/log-state.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";

/** Count a log from its start. A `seq` is never used twice, even if the line that had it is gone. */
export function recountLog(io: FileIo, { logPath, log }: Pick<CatalogueEntry, "logPath" | "log">): LogState {
  const counted = withFile(io, logPath, "read", (file) =>
    advance(io, file, EMPTY_LOG, io.statOpen(file).size),
  );
  return { ...counted, lastSeq: Math.max(counted.lastSeq, log.lastSeq) };
}
