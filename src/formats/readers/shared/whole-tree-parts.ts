/**
 * Splits an answer that contains the results of its tools into messages.
 *
 * Some sources keep calls, results and the rest of the answer in one message.
 * Here results belong to a user message, so such an answer becomes a chain: the
 * answer up to its calls, their results, the rest of the answer.
 */
import type { Block } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import type { ConversationSink, SourceEntry } from "../../contract/reader.ts";
import { type TreeNode, wholeTree } from "./whole-tree.ts";

/** A block, and the part of the source that it comes from. */
export interface Item {
  readonly block: Block;
  /** `undefined` when it comes from outside the content of the message. */
  readonly raw: Json | undefined;
}

export interface Part {
  readonly id: string;
  readonly role: "assistant" | "user";
  readonly items: readonly Item[];
}

/** A message of the source, with its parts. */
export interface PartNode extends TreeNode {
  readonly message: JsonObject;
  readonly parts: readonly Part[];
}

type MakeEntry = (node: PartNode, part: Part) => Pick<SourceEntry, "message" | "records" | "flags">;

/** Adds all messages, part by part. What follows a message follows its last part. */
export function addParts(
  nodes: readonly PartNode[],
  leaf: string | undefined,
  target: ConversationSink,
  make: MakeEntry,
): void {
  const lastParts = new Map<string, string>();
  for (const { id, parts } of nodes) if (!lastParts.has(id)) lastParts.set(id, parts.at(-1)?.id ?? id);
  const lastPart = (id: string): string => lastParts.get(id) ?? id;
  for (const node of wholeTree(nodes, leaf)) {
    let parent = node.parent === null ? null : lastPart(node.parent);
    for (const part of node.parts) {
      target.add({ id: part.id, parent, at: node.at, ...make(node, part) });
      parent = part.id;
    }
  }
  if (leaf !== undefined) target.leaf(lastPart(leaf));
}

/** At least one part. The first has the id of the message, so that references to that id work. */
export function partsOf(
  id: string,
  items: readonly Item[],
  resultsId: (count: number) => string = (count) => `${id}/results-${count}`,
): Part[] {
  const counts = { assistant: 0, user: 0 };
  return runsOf(items).map((run, index) => {
    const role = run[0] !== undefined && isResult(run[0]) ? "user" : "assistant";
    const count = ++counts[role];
    const own = role === "user" ? resultsId(count) : `${id}/${count}`;
    return { id: index === 0 ? id : own, role, items: run };
  });
}

export function blocksOf(items: readonly Item[]): Block[] {
  return items.map(({ block }) => block);
}

/**
 * The record of one part: the whole message if it has one part only, otherwise
 * the source of that part, so that no text is kept with two entries.
 */
export function partRecord(
  message: JsonObject,
  idMember: string,
  parts: readonly Part[],
  part: Part,
): JsonObject {
  if (parts.length === 1) return message;
  const content = part.items.flatMap(({ raw }) => (raw === undefined ? [] : [raw]));
  const own = part === parts[0] ? message : { [idMember]: message[idMember] ?? null };
  return { ...own, content };
}

function runsOf(items: readonly Item[]): Item[][] {
  const runs: Item[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    const before = last?.[0];
    if (last !== undefined && before !== undefined && isResult(before) === isResult(item)) last.push(item);
    else runs.push([item]);
  }
  return runs.length === 0 ? [[]] : runs;
}

function isResult({ block }: Item): boolean {
  return block.type === "tool_result";
}
