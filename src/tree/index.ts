export {
  type BranchInfo,
  DEPTH_LIMITS,
  type DepthLimits,
  depthWarnings,
  describeBranches,
} from "./branches.ts";
export { compare, messagesIn, pathOf, type SeqRange, unreachable } from "./path.ts";
export { activeHead, type LogEnd, type Place, placeEntries, targetBranch } from "./place.ts";
export {
  type Branch,
  branchByName,
  fold,
  headOf,
  isMark,
  liveBranches,
  type Mark,
  PLAIN,
  type Tree,
} from "./tree.ts";
