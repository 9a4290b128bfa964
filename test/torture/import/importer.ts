/** A process that imports, and kills itself at the write that it was told. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";

export interface ImportCommand {
  readonly target: string;
  readonly paths: readonly string[];
  /** The write before which it kills itself. Without one it counts them and ends. */
  readonly killAt?: number;
  /** The store is in a thread, as for the command. Its writes do not count. */
  readonly worker?: boolean;
}

const command: ImportCommand = JSON.parse(process.argv[2] ?? "");
let writes = 0;

function count(): void {
  if (++writes === command.killAt) process.kill(process.pid, "SIGKILL");
}

/** Calls of `owner[name]` count as writes. */
function counting<K extends string>(owner: Record<K, (...values: never[]) => unknown>, name: K): void {
  const original = owner[name];
  owner[name] = function (this: unknown, ...values: never[]): unknown {
    count();
    return Reflect.apply(original, this, values);
  };
}

counting(DatabaseSync.prototype as never, "exec");
counting(StatementSync.prototype as never, "run");
for (const name of [
  "writeSync",
  "fsyncSync",
  "fdatasyncSync",
  "renameSync",
  "ftruncateSync",
  "rmSync",
  "linkSync",
  "unlinkSync",
])
  counting(fs as never, name);
syncBuiltinESMExports();

const { ColloquyError } = await import("../../../src/errors.ts");
const { openStore } = await import("../../../src/store/open.ts");
const { importConversations } = await import("../../../src/formats/import/run.ts");
await using store = await openStore(command.target, { worker: command.worker === true });
try {
  const report = await importConversations(store, command.paths);
  console.log(JSON.stringify({ writes, messages: report.messages }));
} catch (error) {
  if (!(error instanceof ColloquyError)) throw error;
  console.log(JSON.stringify({ error: error.details?.reason ?? error.code }));
  process.exitCode = 1;
}
