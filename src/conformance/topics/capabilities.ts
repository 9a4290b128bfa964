import { join } from "node:path";
import type { Engine, EngineSupports } from "../../engine/index.ts";
import { newId } from "../desk.ts";
import { type Bench, refuses, type Topic } from "../kit.ts";

type Call = (engine: Engine, bench: Bench) => unknown;

/** The calls that each capability of `supports` covers. */
const CALLS: Readonly<Record<keyof EngineSupports, Readonly<Record<string, Call>>>> = {
  backup: { backup: (engine, { folder }) => engine.backup(join(folder, "copy")) },
  repair: { repair: (engine) => engine.repair() },
  legacy: {
    legacyConversations: (engine) => engine.legacyConversations(),
    migrateLegacy: (engine) => engine.migrateLegacy(newId()),
  },
};

export const capabilities: Topic = (check) => {
  for (const [capability, calls] of Object.entries(CALLS)) {
    for (const [name, call] of Object.entries(calls)) {
      check(`${name} works, or is NOT_SUPPORTED if ${capability} is off`, async (bench) => {
        const engine = await bench.engine({ durability: "process" });
        const calling = (async () => call(engine, bench))();
        if (engine.supports[capability as keyof EngineSupports]) await calling;
        else await refuses("NOT_SUPPORTED", calling);
        await engine.close();
      });
    }
  }
};
