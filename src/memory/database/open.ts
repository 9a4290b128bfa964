import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../sqlite/open.ts";
import { checkObject, checkString } from "../../util/checked-arguments.ts";
import { APPLICATION_ID, migrations } from "./migrations.ts";

export interface MemoryFileOptions {
  readonly readonly?: boolean | undefined;
  readonly lockWaitMs?: number | undefined;
}

/** Open the file of a memory, usually `memory.db`, or create it. */
export async function openMemoryFile(path: string, options: MemoryFileOptions = {}): Promise<DatabaseSync> {
  checkString(path, "path");
  checkObject(options, "options");
  const { readonly = false, lockWaitMs } = options;
  return openDatabase(path, {
    readonly,
    // What was indexed can be indexed again, but a note exists nowhere else.
    synchronous: "FULL",
    applicationId: APPLICATION_ID,
    migrations,
    extensions: true,
    ...(lockWaitMs === undefined ? {} : { lockWaitMs }),
  });
}
