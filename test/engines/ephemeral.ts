import type { EngineModule } from "../../src/conformance/kit.ts";
import { EphemeralEngine } from "../../src/engine/ephemeral/ephemeral-engine.ts";

export const persistent = false;
export const open: EngineModule["open"] = async () => new EphemeralEngine();
