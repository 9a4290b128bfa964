/** Writes the files that a gateway keeps current. */
import { agentIds, ownerOf } from "../../agent/agents/agent-definition.ts";
import { stateLayout } from "../../state/folder.ts";
import { type WriteModelsOptions, writeModelsConfig } from "../../state/models/index.ts";
import { type ListedStore, syncSessionIndexes } from "../../state/session-index/sync.ts";
import type { JsonObject } from "../../util/json.ts";

export interface IndexesOrder {
  readonly stateDir: string;
  readonly config: JsonObject;
}

export type ModelsOrder = Required<
  Pick<WriteModelsOptions, "stateDir" | "agentId" | "providers" | "config" | "env">
>;

/** What the files are written with, in this thread or another one. */
export interface Keeping {
  indexes(order: IndexesOrder): Promise<void>;
  models(order: ModelsOrder): Promise<void>;
  close(): Promise<void>;
}

export interface KeepingOptions {
  readonly store: ListedStore;
  readonly onNotice: (text: string) => void;
}

/** In this thread, which waits for the disk. */
export function keepingHere({ store, onNotice }: KeepingOptions): Keeping {
  return {
    indexes: async ({ stateDir, config }) => {
      const agents = agentIds(config).map((id) => ({
        agentDir: stateLayout(stateDir).agent(id).root,
        owns: (key: string): boolean => ownerOf(key, config) === id,
      }));
      await syncSessionIndexes(store, agents);
    },
    models: async (order) => void (await writeModelsConfig({ ...order, onNotice })),
    close: async () => {},
  };
}
