/** How deep the branches of a conversation are, compared with the limits of the store. */
import type { BranchesView } from "../../../../src/gateway/wire/rest.ts";

export interface DepthState {
  readonly level: "fine" | "warning" | "limit";
  readonly depth: number;
  readonly max: number;
  /** One sentence, if there is something to say. */
  readonly sentence: string | null;
}

export function depthState({ branches, limits }: BranchesView): DepthState {
  const deepest = branches.reduce((max, { depth }) => Math.max(max, depth), 0);
  const { depthMax: max, depthWarning } = limits;
  if (deepest >= max) {
    const sentence = `The deepest branch is at the limit of ${max}: flatten or prune before you branch from it again.`;
    return { level: "limit", depth: deepest, max, sentence };
  }
  if (deepest > depthWarning) {
    const sentence = `The deepest branch is on level ${deepest} of at most ${max}: flatten or prune before it gets there.`;
    return { level: "warning", depth: deepest, max, sentence };
  }
  return { level: "fine", depth: deepest, max, sentence: null };
}
