/** The other side of `ChangesElsewhere`: makes one change after the other, on a connection of its own. */
import { parentPort, workerData } from "node:worker_threads";
import { asColloquyError } from "../../../errors.ts";
import { type FlatError, flattenError } from "../../../store/worker/worker-protocol.ts";
import { systemRandom } from "../../../util/uuid.ts";
import { Records } from "../records/records.ts";
import { type ChangeName, change } from "./changes.ts";

export interface ChangeRequest {
  readonly id: number;
  /** The time of the other side. */
  readonly nowMs: number;
  readonly name: ChangeName;
  readonly args: readonly unknown[];
}

export type ChangeReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: FlatError };

const port = parentPort;
if (port === null) throw new Error("This file runs only in a worker thread");
const records = await Records.open((workerData as { readonly stateDir: string }).stateDir);
port.on("message", (request: ChangeRequest | null) => {
  if (request !== null) {
    port.postMessage(replyTo(request));
    return;
  }
  records.close();
  port.close();
});

function replyTo({ id, nowMs, name, args }: ChangeRequest): ChangeReply {
  try {
    const keeper = { records, random: systemRandom, clock: () => nowMs };
    return { id, result: change(keeper, name, args) };
  } catch (error) {
    return { id, error: flattenError(asColloquyError(error, "Cannot change the access records")) };
  }
}
