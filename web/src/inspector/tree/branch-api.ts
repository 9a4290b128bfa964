/** What the tree asks of the gateway. */
import type { BranchesView } from "../../../../src/gateway/wire/rest.ts";
import type { Entry } from "../../../../src/message/types.ts";
import { api } from "../../api/api.ts";
import { conversationPath } from "../../api/paths.ts";

export interface Pruned {
  readonly dryRun: boolean;
  readonly removed: readonly { readonly name: string; readonly entries: number; readonly bytes: number }[];
  readonly bytes: number;
}

export interface PruneChoice {
  readonly names?: readonly string[];
  readonly olderThanDays?: number;
  readonly abandoned?: boolean;
}

export interface Comparison {
  readonly commonAncestor: string | null;
  readonly a: readonly Entry[];
  readonly b: readonly Entry[];
}

const at = (id: string, ...rest: string[]): string => conversationPath(id, "branches", ...rest);

export const branchApi = {
  list: (id: string, signal: AbortSignal): Promise<BranchesView> => api("GET", at(id), { signal }),
  checkout: (id: string, name: string): Promise<unknown> =>
    api("POST", at(id, "checkout"), { body: { name } }),
  flatten: (id: string): Promise<unknown> => api("POST", at(id, "flatten")),
  prune: (id: string, choice: PruneChoice, dryRun: boolean): Promise<Pruned> =>
    api("POST", at(id, "prune"), { body: { ...choice, dryRun } }),
  compare: (id: string, a: string, b: string, signal: AbortSignal): Promise<Comparison> =>
    api("GET", at(id, "compare"), { query: { a, b }, signal }),
};
