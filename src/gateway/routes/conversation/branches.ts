import { firstWordsOf } from "../../../message/title.ts";
import type { BranchInfo, Conversation } from "../../../store/index.ts";
import type { BranchesView, BranchView } from "../../wire/rest.ts";
import { defineRoute, type Route } from "../route.ts";
import { ENTRY, FLAG, NAME, NAME_OR_NULL, objectOf } from "../schemas.ts";
import { conversationOf } from "./conversation-view.ts";

const PATH = "/api/v1/conversations/{id}/branches";
/** An entry that opens a branch may be a note of the tree; the first message is soon after it. */
const OPENING_ENTRIES = 5;
const DAYS_MAX = 36_500;

export const BRANCH_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: PATH,
    permission: "read",
    scoped: "conversation",
    summary: "Every branch, main first",
    answer: objectOf({ branches: { type: "array", items: { type: "object" } } }),
    handle: async (request, gateway) => ({
      json: await branchesView(await conversationOf(request, gateway), gateway.store.depthLimits),
    }),
  }),
  defineRoute({
    method: "POST",
    path: PATH,
    permission: "write",
    scoped: "conversation",
    summary: "Start a branch after an entry; null is before the first one",
    body: {
      type: "object",
      properties: { from: NAME_OR_NULL, name: NAME, checkout: FLAG },
      required: ["from"],
    },
    status: 201,
    answer: { type: "object" },
    handle: async (request, gateway) => {
      const { from, ...options } = request.body;
      return { json: await (await conversationOf(request, gateway)).branch(from, options) };
    },
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/checkout`,
    permission: "write",
    scoped: "conversation",
    summary: "Check out a branch",
    body: { type: "object", properties: { name: NAME }, required: ["name"] },
    answer: { type: "object" },
    handle: async (request, gateway) => ({
      json: await (await conversationOf(request, gateway)).checkout(request.body.name),
    }),
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/flatten`,
    permission: "write",
    scoped: "conversation",
    summary: "Make the checked-out path the branch main",
    answer: { type: "object" },
    handle: async (request, gateway) => ({ json: await (await conversationOf(request, gateway)).flatten() }),
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/prune`,
    permission: "admin",
    scoped: "conversation",
    summary: "Permanently remove branches, or show which with dryRun",
    body: {
      type: "object",
      properties: {
        names: { type: "array", items: NAME, maxItems: 10_000 },
        olderThanDays: { type: "number", minimum: 0, maximum: DAYS_MAX },
        keep: { type: "integer", minimum: 0, maximum: 1_000_000 },
        abandoned: FLAG,
        dryRun: FLAG,
      },
    },
    answer: { type: "object" },
    handle: async (request, gateway) => ({
      json: await (await conversationOf(request, gateway)).pruneBranches(request.body),
    }),
  }),
  defineRoute({
    method: "GET",
    path: `${PATH}/compare`,
    permission: "read",
    scoped: "conversation",
    summary: "Where two branches diverge, and the entries of each after that",
    query: { type: "object", properties: { a: NAME, b: NAME }, required: ["a", "b"] },
    answer: objectOf({
      commonAncestor: { type: ["string", "null"] },
      a: { type: "array", items: ENTRY },
      b: { type: "array", items: ENTRY },
    }),
    handle: async (request, gateway) => {
      const { a, b } = request.query;
      return { json: await (await conversationOf(request, gateway)).compare(a, b) };
    },
  }),
];

async function branchesView(
  conversation: Conversation,
  { maxDepth, warningDepth }: { readonly maxDepth: number; readonly warningDepth: number },
): Promise<BranchesView> {
  const branches = await conversation.branches();
  return {
    branches: await Promise.all(branches.map((branch) => branchView(conversation, branch))),
    warnings: branches.flatMap(({ warning }) => (warning === null ? [] : [warning])),
    limits: { depthMax: maxDepth, depthWarning: warningDepth },
  };
}

async function branchView(conversation: Conversation, branch: BranchInfo): Promise<BranchView> {
  const { createdAt: _, ...rest } = branch;
  return { ...rest, firstWords: await openingWords(conversation, branch) };
}

async function openingWords(
  conversation: Conversation,
  { name, parent, forkedFrom, entryCount }: BranchInfo,
): Promise<string | null> {
  if (parent === null || entryCount === 0) return null;
  const start = forkedFrom === null ? {} : { after: forkedFrom };
  const page = await conversation.messages({
    branch: name,
    ...start,
    limit: OPENING_ENTRIES,
    blobs: "references",
  });
  for (const { message } of page.items) {
    const words = firstWordsOf({ role: "user", content: message.content });
    if (words !== undefined) return words;
  }
  return null;
}
