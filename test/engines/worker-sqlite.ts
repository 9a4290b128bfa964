import { join } from "node:path";
import type { EngineModule } from "../../src/conformance/kit.ts";
import { WorkerEngine } from "../../src/store/worker/worker-engine.ts";

export const open: EngineModule["open"] = (folder, options) =>
  WorkerEngine.open(`sqlite:${join(folder, "store")}`, options);
