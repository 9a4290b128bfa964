import { pathToFileURL } from "node:url";
import type { EngineOptions } from "../../src/engine/index.ts";
import { WorkerEngine } from "../../src/store/worker/worker-engine.ts";

/** Loading the sources of an engine into a thread takes up to three times as long as the bundle. */
const BUNDLE = process.env.COLLOQUY_TEST_WORKER;

export function openInWorker(target: string, options: EngineOptions): Promise<WorkerEngine> {
  return WorkerEngine.open(target, options, BUNDLE === undefined ? undefined : pathToFileURL(BUNDLE));
}
