/** The other side of `RecordsWorker`: makes one change after the other, on a connection of its own. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { asColloquyError } from "../../../errors.ts";
import { type FlatError, flattenError } from "../../../store/worker/worker-protocol.ts";
import { systemClock } from "../../../util/time.ts";
import { systemRandom } from "../../../util/uuid.ts";
import { Records } from "../records/records.ts";
import { type ChangeName, change } from "./changes.ts";

export interface ChangeRequest {
  readonly id: number;
  /** How far the clock of the other side is ahead of the one of the system. */
  readonly aheadMs: number;
  readonly name: ChangeName;
  readonly args: readonly unknown[];
}

/** Reply 0 says that the records are open, or why they are not. */
export type ChangeReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: FlatError };

if (parentPort === null) throw new Error("This file runs only in a worker thread");
await serve(parentPort, (workerData as { readonly stateDir: string }).stateDir);

async function serve(port: MessagePort, stateDir: string): Promise<void> {
  const say = (reply: ChangeReply): void => port.postMessage(reply);
  try {
    const records = await Records.open(stateDir);
    port.on("message", (request: ChangeRequest | null) => {
      if (request !== null) {
        say(replyTo(records, request));
        return;
      }
      records.close();
      port.close();
    });
    say({ id: 0, result: undefined });
  } catch (error) {
    say({ id: 0, error: flattenError(asColloquyError(error, "Cannot open the access records")) });
  }
}

function replyTo(records: Records, { id, aheadMs, name, args }: ChangeRequest): ChangeReply {
  try {
    // The time when it is made: it may have waited for the disk.
    const keeper = { records, random: systemRandom, clock: () => systemClock() + aheadMs };
    return { id, result: change(keeper, name, args) };
  } catch (error) {
    return { id, error: flattenError(asColloquyError(error, "Cannot change the access records")) };
  }
}
