import { parentPort, Worker, workerData } from "node:worker_threads";
import { ColloquyError } from "../errors.ts";

/** The reply of a thread: its result, or the error of SQLite or the system. */
type Reply<T> =
  | { readonly result: T; readonly failure?: undefined }
  | { readonly failure: { readonly message: string; readonly members: Partial<ColloquyError> } };

/**
 * Run work that takes long, and would block everything else, in a new thread on
 * a new connection. `module` is the file of the caller, `name` the one of the
 * thread, beside it. It calls `answer`.
 */
export async function runInThread<T>(name: string, module: string, request: unknown): Promise<T> {
  // The same file name in the sources and, compiled, in the package.
  const extension = module.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./${name}.${extension}`, module), { workerData: request });
  const reply = await new Promise<Reply<T>>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The thread exited with code ${code}`)));
  });
  await worker.terminate();
  if (reply.failure !== undefined) throw revived(reply.failure);
  return reply.result;
}

function revived({ message, members }: NonNullable<Reply<unknown>["failure"]>): Error {
  const { name, code, field } = members;
  if (name !== "ColloquyError" || code === undefined) return Object.assign(new Error(message), members);
  return new ColloquyError(code, message, field === undefined ? {} : { field });
}

/** In the thread: what it is started for. */
export function answer<Request, T>(work: (request: Request) => T): void {
  const attempt = (): Reply<T> => {
    try {
      return { result: work(workerData as Request) };
    } catch (error) {
      return { failure: { message: (error as Error).message, members: { ...(error as object) } } };
    }
  };
  parentPort?.postMessage(attempt());
}
