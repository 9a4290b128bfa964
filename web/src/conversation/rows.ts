/** Entries as the rows that a reader sees: results of tools belong to their calls, and rules stand between messages. */

import type { BranchView } from "../../../src/gateway/wire/rest.ts";
import type {
  Block,
  Entry,
  MessageEntry,
  ToolResultBlock,
  ToolUseBlock,
} from "../../../src/message/types.ts";
import { type AttachedFile, attachedFiles } from "./attached-parts.ts";

export interface ToolCall {
  readonly call: ToolUseBlock;
  readonly result:
    | { readonly block: ToolResultBlock; readonly entry: MessageEntry; readonly index: number }
    | undefined;
  /** From the call to its result. */
  readonly ms: number | null;
}

export type Part =
  | { readonly kind: "block"; readonly block: Block; readonly index: number }
  | { readonly kind: "file"; readonly file: AttachedFile; readonly index: number }
  | { readonly kind: "tool"; readonly tool: ToolCall; readonly index: number };

export interface MessageRow {
  readonly kind: "message";
  readonly key: string;
  readonly entry: MessageEntry;
  readonly parts: readonly Part[];
  /** Whether another message of the same role is above it. */
  readonly continues: boolean;
  readonly label: string | null;
}

type RuleKind = "compaction" | "branch-point" | "interrupted" | "stopped" | "import" | "summary" | "other";

export interface RuleRow {
  readonly kind: "rule";
  readonly key: string;
  readonly rule: RuleKind;
  readonly entry: Entry;
  /** Of a branch point: the other ways to go on. */
  readonly branches: readonly BranchView[];
}

export type Row = MessageRow | RuleRow;

/** Bookkeeping that a reader does not need. */
const HIDDEN_INFO: ReadonlySet<string> = new Set([
  "branch",
  "checkout",
  "flatten",
  "prune",
  "undo-compaction",
  "original",
]);

export function rowsOf(
  entries: readonly Entry[],
  branches: readonly BranchView[],
  labels: ReadonlyMap<string, string>,
): Row[] {
  const results = resultsIn(entries);
  const forks = forksOf(branches);
  const calls = new Set<string>();
  const rows: Row[] = [];
  let role: string | undefined;
  const [first] = entries;
  const beginnings = forks.get(null);
  if (first?.parentId === null && beginnings)
    rows.push({ ...ruleOf("branch-point", first, beginnings), key: "beginning" });
  for (const entry of entries) {
    if (entry.kind === "message") {
      const parts = partsOf(entry, results, calls);
      if (parts.length > 0) {
        const continues = role === entry.message.role;
        rows.push({
          kind: "message",
          key: entry.id,
          entry,
          parts,
          continues,
          label: labels.get(entry.id) ?? null,
        });
        role = entry.message.role;
      }
      const { endState } = entry.message;
      if (endState === "interrupted" || endState === "stopped") rows.push(ruleOf(endState, entry));
    } else {
      const rule = ruleKindOf(entry);
      if (rule) rows.push(ruleOf(rule, entry));
    }
    const others = forks.get(entry.id);
    if (others) rows.push(ruleOf("branch-point", entry, others));
    if (rows.at(-1)?.kind === "rule") role = undefined;
  }
  return rows;
}

export function blocksOf({ message: { content } }: MessageEntry): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function ruleOf(rule: RuleKind, entry: Entry, branches: readonly BranchView[] = []): RuleRow {
  return { kind: "rule", key: `${entry.id}/${rule}`, rule, entry, branches };
}

function ruleKindOf(entry: Entry): RuleKind | undefined {
  if (entry.kind === "compaction") return "compaction";
  if (entry.kind === "branch_summary") return "summary";
  if (entry.kind !== "info") return undefined;
  if (entry.data.type === "import") return "import";
  if (entry.data.type === "turn") return entry.data.state === "interrupted" ? "interrupted" : "stopped";
  return HIDDEN_INFO.has(entry.data.type) ? undefined : "other";
}

/** Where another branch leaves the path; `null` is before the first entry. */
function forksOf(branches: readonly BranchView[]): ReadonlyMap<string | null, readonly BranchView[]> {
  const forks = new Map<string | null, BranchView[]>();
  const add = (entry: string | null, branch: BranchView): void => {
    if (branch.active) return;
    const known = forks.get(entry) ?? [];
    if (!known.includes(branch)) forks.set(entry, [...known, branch]);
  };
  for (const branch of branches) {
    const parent = branches.find(({ name }) => name === branch.parent);
    // The first branch of a conversation leaves nothing.
    if (!parent && branch.forkedFrom === null) continue;
    add(branch.forkedFrom, branch);
    // On the way from a parent, the parent is the other way.
    if (parent) add(branch.forkedFrom, parent);
  }
  return forks;
}

type Found = NonNullable<ToolCall["result"]>;

function resultsIn(entries: readonly Entry[]): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  for (const entry of entries) {
    if (entry.kind !== "message") continue;
    for (const [index, block] of blocksOf(entry).entries())
      if (isResult(block)) found.set(block.tool_use_id, { block, entry, index });
  }
  return found;
}

function partsOf(entry: MessageEntry, results: ReadonlyMap<string, Found>, calls: Set<string>): Part[] {
  const files = attachedTo(entry);
  return blocksOf(entry).flatMap((block, index): Part[] => {
    const file = files.get(index);
    if (file !== undefined) return file === null ? [] : [{ kind: "file", file, index }];
    if (isCall(block)) {
      calls.add(block.id);
      const found = results.get(block.id);
      const ms = found ? Date.parse(found.entry.at) - Date.parse(entry.at) : null;
      return [{ kind: "tool", tool: { call: block, result: found, ms }, index }];
    }
    // A result is shown with its call. Without the call it is shown alone, so that nothing is hidden.
    if (isResult(block) && calls.has(block.tool_use_id)) return [];
    if (
      block.type === "text" &&
      typeof block.text === "string" &&
      block.text.trim() === "" &&
      !hasBlob(entry, index)
    )
      return [];
    return [{ kind: "block", block, index }];
  });
}

/** Words that were typed are never taken for files. */
export function attachedTo({ message: { role, content } }: MessageEntry): ReturnType<typeof attachedFiles> {
  return attachedFiles(role === "user" && typeof content !== "string" ? content : []);
}

/** An empty text may be in a blob. */
function hasBlob({ blobs = [], message: { content } }: MessageEntry, index: number): boolean {
  return blobs.some(({ path }) =>
    typeof content === "string" ? path.includes("content") : path.includes(index),
  );
}

function isCall(block: Block): block is ToolUseBlock {
  return block.type === "tool_use";
}

export function isResult(block: Block): block is ToolResultBlock {
  return block.type === "tool_result";
}
