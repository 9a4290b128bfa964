/** The thread of `runInThread`. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { type JobReply, type JobRequest, runInline } from "./background.ts";

const request = workerData as JobRequest;
parentPort?.postMessage(attempt());

function attempt(): JobReply {
  try {
    const database = new DatabaseSync(request.path, {
      timeout: request.waitMs,
      readOnly: request.job === "copy",
    });
    try {
      runInline(database, request);
    } finally {
      database.close();
    }
    return undefined;
  } catch (error) {
    return { message: (error as Error).message, members: { ...(error as object) } };
  }
}
