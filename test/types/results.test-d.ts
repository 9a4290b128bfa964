/** What the types promise of writes: one shape for appends, one for changes to branches. */
import type {
  Appended,
  BranchInfo,
  BranchResult,
  BranchSummaryEntry,
  CompactionEntry,
  Conversation,
  LabelEntry,
  MessageEntry,
  Turn,
} from "../../src/index.ts";
import type { Equal, True } from "./equal.ts";

type Result<Name extends keyof Conversation> = Conversation[Name] extends (...given: never[]) => infer R
  ? Awaited<R>
  : never;

export type Checks = [
  True<Equal<Result<"append">, Appended>>,
  True<Equal<Awaited<ReturnType<Turn["add"]>>, Appended>>,
  True<Equal<Appended["entries"], readonly MessageEntry[]>>,
  True<Equal<Appended["head"], string>>,
  True<Equal<Appended["replayed"], boolean>>,
  True<Equal<Result<"branch" | "edit" | "regenerate" | "checkout" | "flatten">, BranchResult>>,
  True<Equal<Result<"replaceTranscript">, BranchResult>>,
  True<Equal<Result<"summarizeBranch">, BranchResult<BranchSummaryEntry>>>,
  True<Equal<BranchResult["branch"], BranchInfo>>,
  True<Equal<BranchResult["warnings"], readonly string[]>>,
  True<Equal<Result<"compact">, CompactionEntry | undefined>>,
  True<Equal<Result<"label">, LabelEntry>>,
];
