export {
  type BranchInfo,
  DEPTH_LIMITS,
  type DepthLimits,
  depthWarnings,
  describeBranches,
} from "./branches.ts";
export { compare, messagesIn, pathOf, type SeqRange, unreachable } from "./path.ts";
export { activeHead, type LogEnd, placeEntries, type TreePlace, targetBranch } from "./place-entries.ts";
export {
  type Branch,
  branchByName,
  fold,
  headOf,
  isMark,
  liveBranches,
  liveCompactions,
  type Mark,
  PLAIN,
  type Tree,
} from "./tree.ts";
