/** What the types promise of a store's queries and references. */
import type { ConversationQuery, Receipt, Store } from "../../src/index.ts";
import type { Equal, True } from "./equal.ts";

export const everyFilter: Required<ConversationQuery> = {
  ...{ channel: "discord", keyPrefix: "discord:dm:", title: "plans", model: "m-1" },
  ...{ after: "2026-01-01T00:00:00Z", before: "2026-02-01T00:00:00Z" },
  ...{ trash: false, limit: 10, cursor: null, firstWords: true, lastWords: true, forked: true },
};

export async function byReference(store: Store): Promise<Receipt> {
  await store.delete("discord:dm:42");
  await store.restore("discord:dm:42");
  // @ts-expect-error There is no such option.
  await store.purge("discord:dm:42", { forec: true });
  return store.purge("discord:dm:42", { force: true });
}

export type Checks = [
  True<Equal<Parameters<Store["delete"]>, [idOrKey: string]>>,
  True<Equal<Parameters<Store["restore"]>, [idOrKey: string]>>,
  True<Equal<Parameters<Store["copyTo"]>[0], Store>>,
];
