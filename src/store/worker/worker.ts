/** The other side of `WorkerEngine`: opens the engine in this thread and executes calls. */
import { parentPort, workerData } from "node:worker_threads";
import type { Engine, EngineOptions, Outcome } from "../../engine/index.ts";
import { asColloquyError } from "../../errors.ts";
import { openEngine } from "../open-engine.ts";
import { flattenError, type Opened, type Reply, type Request } from "./worker-protocol.ts";

const port = parentPort;
if (port === null) throw new Error("This file runs only in a worker thread");
let unsent: Reply[] = [];

/** Replies to calls that came together go together. */
function send(reply: Reply): void {
  unsent.push(reply);
  if (unsent.length > 1) return;
  queueMicrotask(() => {
    const replies = unsent;
    unsent = [];
    post(replies);
  });
}

/** One that cannot be copied is answered with the error. */
function post(replies: readonly Reply[]): void {
  try {
    port?.postMessage(replies);
  } catch (error) {
    const [first] = replies;
    if (replies.length > 1) for (const reply of replies) post([reply]);
    else if (first !== undefined && "id" in first) {
      const failed = { id: first.id, error: flattenError(asColloquyError(error, "The engine failed")) };
      port?.postMessage([failed satisfies Reply]);
    }
  }
}

const { target, options } = workerData as { target: string; options: Omit<EngineOptions, "onProblem"> };
try {
  const engine = await openEngine(target, {
    ...options,
    onProblem: (problem) => send({ problem: flattenError(problem) }),
  });
  port.on("message", (requests: readonly Request[]) => {
    for (const request of requests) answer(engine, request);
  });
  const { name, location, supports } = engine;
  send({ id: 0, value: { name, location, supports } satisfies Opened });
} catch (error) {
  send({ id: 0, error: flattenError(asColloquyError(error, `Cannot open ${target}`)) });
}

async function answer(engine: Engine, { id, method, args }: Request): Promise<void> {
  try {
    const work = engine[method] as unknown as (...values: readonly unknown[]) => unknown;
    const value = await work.apply(engine, args as unknown[]);
    send({ id, value: method === "commit" ? (value as Outcome[]).map(flatten) : value });
  } catch (error) {
    send({ id, error: flattenError(asColloquyError(error, "The engine failed")) });
  }
}

function flatten(outcome: Outcome): unknown {
  return outcome.ok ? outcome : { ok: false, error: flattenError(outcome.error) };
}
