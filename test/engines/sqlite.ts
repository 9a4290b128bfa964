import { join } from "node:path";
import type { EngineModule } from "../../src/conformance/kit.ts";
import { SqliteEngine } from "../../src/engine/sqlite/sqlite-engine.ts";

export const open: EngineModule["open"] = (folder, options) =>
  SqliteEngine.open(join(folder, "store.db"), options);
