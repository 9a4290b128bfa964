/** The other side of `KeepingElsewhere`: writes one file after the other, and asks for the conversations. */
import { parentPort } from "node:worker_threads";
import type { ConversationInfo } from "../../engine/index.ts";
import { asColloquyError } from "../../errors.ts";
import { type FlatError, flattenError, reviveError } from "../../store/worker/worker-protocol.ts";
import { type IndexesOrder, keepingHere, type ModelsOrder } from "./keep.ts";

/** What this thread is told. */
export type Told =
  | { readonly indexes: IndexesOrder }
  | { readonly models: ModelsOrder }
  | { readonly infos: ConversationInfo[] }
  | { readonly failed: FlatError };

/** What it says. `trash`: which conversations it wants to know. */
export type Said =
  | { readonly trash: boolean }
  | { readonly notice: string }
  | { readonly problem: FlatError | undefined };

interface Waiting {
  readonly resolve: (infos: ConversationInfo[]) => void;
  readonly reject: (error: Error) => void;
}

const port = parentPort;
if (port === null) throw new Error("This file runs only in a worker thread");
const say = (said: Said): void => port.postMessage(said);
let waiting: Waiting | undefined;

async function* list({ trash = false }: { readonly trash?: boolean } = {}): AsyncGenerator<ConversationInfo> {
  const infos = new Promise<ConversationInfo[]>((resolve, reject) => {
    waiting = { resolve, reject };
  });
  say({ trash });
  yield* await infos;
}

const keeping = keepingHere({ store: { list }, onNotice: (notice) => say({ notice }) });

port.on("message", (told: Told) => {
  if ("infos" in told) waiting?.resolve(told.infos);
  else if ("failed" in told) waiting?.reject(reviveError(told.failed));
  else void keep(told);
});

async function keep(order: Extract<Told, { indexes: unknown } | { models: unknown }>): Promise<void> {
  try {
    if ("indexes" in order) await keeping.indexes(order.indexes);
    else await keeping.models(order.models);
    say({ problem: undefined });
  } catch (error) {
    say({ problem: flattenError(asColloquyError(error, "Cannot write the files of the agents")) });
  }
}
