/** `import --watch`, and the service that runs it. */
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { asColloquyError } from "../../../errors.ts";
import type { ImportReport } from "../../../formats/import/report.ts";
import type { ImportOptions } from "../../../formats/import/run.ts";
import { watchConversations } from "../../../formats/import/watch.ts";
import { redactSecrets } from "../../../secrets/redact-secrets.ts";
import {
  IMPORT_LOG,
  type ImportWatch,
  importWatchLock,
  readImportWatch,
  writeImportWatch,
} from "../../../state/import-watch.ts";
import { LogFile } from "../../../state/log-file.ts";
import type { Store } from "../../../store/store.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { installService, serviceFile, serviceWords } from "../../service/user-service.ts";
import { stateFolder } from "../../store/store-target.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";

export async function watch(
  call: Call,
  store: Store,
  paths: readonly string[],
  options: Pick<ImportOptions, "format" | "again">,
  show: (report: ImportReport) => void,
): Promise<Result> {
  const interrupt = stopOnInterrupt();
  const there = paths.filter((path) => existsSync(path));
  const [first = "places that do not exist yet", ...others] = there;
  const place = others.length === 0 ? safeLine(first) : `${there.length} places`;
  call.out.note(`Watching ${place}; stop with Ctrl-C.`);
  using notes = new WatchNotes(stateFolder(call.values), there);
  try {
    await watchConversations(store, paths, {
      ...options,
      signal: interrupt.signal,
      onPass: (report) => {
        notes.passed(report);
        show(report);
      },
    });
    notes.note("stopped");
    return { json: null };
  } catch (error) {
    notes.failed(asColloquyError(error, "The import failed").message);
    throw error;
  } finally {
    interrupt.end();
  }
}

/** A service that watches what was given here. */
export function installWatch(call: Call, paths: readonly string[]): Result {
  const from = call.values.get("from");
  const command = ["import", "--watch", ...paths, ...(from === undefined ? [] : ["--from", from])];
  const stateDir = stateFolder(call.values);
  const before = readImportWatch(stateDir);
  const words = serviceWords(call, command);
  const service = { name: "import", description: "Colloquy import of other tools", words };
  const enable = serviceFile(process.platform, homedir(), service)?.enable ?? null;
  const there = paths.filter((path) => existsSync(path));
  writeImportWatch(stateDir, { ...NEVER, ...before, paths: there, isService: true, enable });
  return installService(service);
}

const NEVER: ImportWatch = {
  paths: [],
  isService: false,
  enable: null,
  startedAt: null,
  addedAt: null,
  error: null,
};

/** The log of a watching import, and its record for the doctor. Of two at a time, only the first has a record. */
class WatchNotes {
  readonly #stateDir: string;
  readonly #log: LogFile;
  readonly #lock: ReturnType<typeof importWatchLock>;
  readonly #isFirst: boolean;
  #record: ImportWatch;

  constructor(stateDir: string, paths: readonly string[]) {
    this.#stateDir = stateDir;
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    this.#log = new LogFile(join(stateDir, IMPORT_LOG));
    this.#lock = importWatchLock(stateDir);
    this.#isFirst = this.#lock.tryAcquire();
    const before = readImportWatch(stateDir) ?? NEVER;
    this.#record = { ...before, paths, startedAt: new Date().toISOString(), error: null };
    this.#save();
    this.note("started", { paths });
  }

  /** The first pass may have found nothing new. */
  passed({ grown, messages, branches, skippedCount }: ImportReport): void {
    const isNews = messages > 0 || branches > 0;
    if (!isNews && skippedCount === 0) return;
    this.note("imported", { conversations: grown, messages, skipped: skippedCount });
    if (!isNews) return;
    this.#record = { ...this.#record, addedAt: new Date().toISOString() };
    this.#save();
  }

  failed(error: string): void {
    this.note("failed", { error });
    this.#record = { ...this.#record, error: redactSecrets(error).text };
    this.#save();
  }

  note(event: string, facts: object = {}): void {
    const line = JSON.stringify({ time: new Date().toISOString(), event, ...facts });
    this.#log.write(`${redactSecrets(line).text}\n`);
  }

  #save(): void {
    if (this.#isFirst) writeImportWatch(this.#stateDir, this.#record);
  }

  [Symbol.dispose](): void {
    this.#lock.close();
  }
}
