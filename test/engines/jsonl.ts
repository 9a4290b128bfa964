import { join } from "node:path";
import type { EngineModule } from "../../src/conformance/kit.ts";
import { JsonlEngine } from "../../src/engine/jsonl/jsonl-engine.ts";

export const open: EngineModule["open"] = (folder, options) =>
  JsonlEngine.open(join(folder, "store"), options);
