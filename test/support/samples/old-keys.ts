import type { Engine } from "../../../src/engine/index.ts";
import { openEngine } from "../../../src/store/open-engine.ts";

const OPTIONS = { readonly: false, durability: "full", lockWaitMs: 1000, onProblem: () => {} } as const;

/** Create conversations whose keys are as they were typed, which a store itself does not do. Returns their ids. */
export async function createWithKeys(target: string | Engine, keys: readonly string[]): Promise<string[]> {
  const engine = typeof target === "string" ? await openEngine(target, OPTIONS) : target;
  const ids = keys.map((_, index) => `01890000-0000-7000-8000-${String(index + 1).padStart(12, "0")}`);
  await engine.commit(
    keys.map((key, index) => ({
      ...{ type: "create", id: ids[index] as string, idGiven: true, key, resume: false },
      ...{ title: null, channel: key.split(":")[0]?.toLowerCase() ?? null, model: null, profileId: null },
      at: new Date(Date.UTC(2026, 0, index + 1)).toISOString(),
    })),
  );
  if (typeof target === "string") await engine.close();
  return ids;
}
