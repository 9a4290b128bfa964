import type { Engine, EngineOptions } from "../engine/index.ts";
import { asColloquyError, ColloquyError, invalid } from "../errors.ts";

export type EngineName = "ephemeral" | "jsonl" | "sqlite";

export function parseTarget(target: string): { name: EngineName; place: string } {
  const [, scheme, place] = /^([a-z]+):(.*)$/s.exec(target) ?? [];
  if (scheme === "ephemeral") return { name: scheme, place: "" };
  if ((scheme === "jsonl" || scheme === "sqlite") && place !== undefined) {
    if (place === "" || place.includes("\0"))
      throw invalid(`${scheme}: requires a path, such as ${scheme}:./agent`, "target");
    return { name: scheme, place };
  }
  if (scheme === "postgres" || scheme === "postgresql") {
    throw new ColloquyError("NOT_SUPPORTED", "This version of Colloquy has no PostgreSQL engine yet");
  }
  throw invalid(`Unknown store "${target}": use sqlite:FILE, jsonl:FOLDER or ephemeral:`, "target");
}

/** The only place that turns an engine's name into an engine. */
export async function openEngine(target: string, options: EngineOptions): Promise<Engine> {
  const { name, place } = parseTarget(target);
  try {
    return await openByName(name, place, options);
  } catch (error) {
    throw asColloquyError(error, `Cannot open ${target}`);
  }
}

async function openByName(name: EngineName, place: string, options: EngineOptions): Promise<Engine> {
  switch (name) {
    case "ephemeral": {
      const { EphemeralEngine } = await import("../engine/ephemeral/ephemeral-engine.ts");
      return new EphemeralEngine();
    }
    case "jsonl": {
      const { JsonlEngine } = await import("../engine/jsonl/jsonl-engine.ts");
      return JsonlEngine.open(place, options);
    }
    case "sqlite": {
      const { SqliteEngine } = await import("../engine/sqlite/sqlite-engine.ts");
      return SqliteEngine.open(place, options);
    }
  }
}
