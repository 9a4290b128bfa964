/** Changes of the records in another thread: a disk that does not answer keeps only those waiting who asked for one. */
import { type ColloquyError, unavailable } from "../../../errors.ts";
import { type Clock, systemClock } from "../../../util/time.ts";
import type { ChangeArgs, Changed, ChangeName, RecordChanges } from "./changes.ts";
import { RecordsWorker } from "./records-worker.ts";

/** A stranger can ask for changes. */
const WAITING_MAX = 10_000;
/** What only those ask for who are signed in, or the config, and what must not fail because of strangers. */
const UNLIMITED: ReadonlySet<ChangeName> = new Set(["endSignIn", "keepConfig", "revokeToken"]);

interface ElsewhereOptions {
  readonly stateDir: string;
  readonly clock: Clock;
  /** The thread has ended. The next change starts another one. */
  readonly onProblem: (problem: ColloquyError) => void;
}

export class ChangesElsewhere implements RecordChanges {
  readonly #options: ElsewhereOptions;
  #worker: RecordsWorker;
  #isOpen = false;

  private constructor(options: ElsewhereOptions) {
    this.#options = options;
    this.#worker = this.#start();
  }

  /** Rejects with the reason if the thread cannot open the records. */
  static async open(options: ElsewhereOptions): Promise<ChangesElsewhere> {
    const changes = new ChangesElsewhere(options);
    await changes.#worker.ready;
    changes.#isOpen = true;
    return changes;
  }

  async make<Name extends ChangeName>(name: Name, ...args: ChangeArgs<Name>): Promise<Changed<Name>> {
    if (this.#isOpen && this.#worker.hasFailed) this.#worker = this.#start();
    if (this.#worker.waiting >= WAITING_MAX && !UNLIMITED.has(name))
      throw unavailable("Too many logins wait for the disk");
    const aheadMs = this.#options.clock() - systemClock();
    return this.#worker.ask({ aheadMs, name, args });
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#worker.close();
  }

  #start(): RecordsWorker {
    return new RecordsWorker(this.#options.stateDir, (failure) => {
      if (this.#isOpen) this.#options.onProblem(failure);
    });
  }
}
