import { join } from "node:path";
import type { EngineModule } from "../../src/conformance/kit.ts";
import { openInWorker } from "./bundled-worker.ts";

export const open: EngineModule["open"] = (folder, options) =>
  openInWorker(`sqlite:${join(folder, "store")}`, options);
