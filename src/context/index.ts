export type { Budget, Earlier, FitOptions, ItemOptions, Summary } from "./budget.ts";
export { type CompactionOptions, type CompactionPlan, checkSummary, planCompaction } from "./compaction.ts";
export { type FittedContext, fitItems, fitToContextWindow } from "./fit.ts";
export { type AgentContext, createAgentContextWithHistory } from "./history.ts";
export type { ContextItem } from "./item.ts";
export { accounted, type Dropped, type DropReason, type Kept, type Ledger } from "./ledger.ts";
export { type Repair, type RepairedPairs, type RepairKind, repairToolPairs } from "./pairs.ts";
export {
  planSandwich,
  type SandwichPlan,
  type SandwichState,
  type SummaryRange,
  sandwichState,
} from "./sandwich.ts";
export type { Arrangement } from "./select.ts";
export { full, sandwich, sliding } from "./strategies.ts";
export { calibration, estimateTokens } from "./tokens.ts";
