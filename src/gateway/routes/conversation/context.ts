import { DROP_WORDS } from "../../../context/ledger.ts";
import { estimateTokens } from "../../../context/tokens.ts";
import type { Context, Conversation } from "../../../store/index.ts";
import type { ContextView, LedgerItem } from "../../wire/rest.ts";
import { defineRoute, type Route } from "../route.ts";
import { NAME } from "../schemas.ts";
import { answeredBy, setupOf } from "./answered-by.ts";
import { conversationOf } from "./conversation-view.ts";
import { shortWords } from "./short-words.ts";

/** Of a model whose window is not known. */
const WINDOW = 128_000;
/** The entries whose first words are shown. The ledger lists any number. */
const SHOWN_MAX = 1000;

export const CONTEXT_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/api/v1/conversations/{id}/context",
    permission: "read",
    scoped: "conversation",
    summary: "What would be sent to a model, and why the rest would not",
    query: {
      type: "object",
      properties: {
        maxTokens: { type: "integer", minimum: 1, maximum: 100_000_000 },
        strategy: { enum: ["auto", "full", "sliding"] },
        last: { type: "integer", minimum: 1, maximum: 10_000 },
        reserveForOutput: { type: "integer", minimum: 0, maximum: 100_000_000 },
        branch: NAME,
      },
    },
    answer: { type: "object" },
    handle: async (request, gateway) => {
      const conversation = await conversationOf(request, gateway);
      const info = await conversation.info();
      const { maxTokens = (await answeredBy(info, gateway)).contextWindow ?? WINDOW, ...options } =
        request.query;
      const system = (await setupOf(info, gateway)).system();
      const context = await conversation.context({ ...options, maxTokens, system, signal: request.signal });
      return { json: await viewOf(context, conversation, request.query.branch) };
    },
  }),
];

async function viewOf(
  context: Context,
  conversation: Conversation,
  branch: string | undefined,
): Promise<ContextView> {
  const { messages, ledger } = context;
  const { budget, kept, summarised } = ledger;
  const sum = (isCut: boolean): number =>
    kept.reduce((total, { truncated, tokens }) => total + ((truncated === true) === isCut ? tokens : 0), 0);
  const { words, dropped } = await readOf(conversation, branch, ledger);
  return {
    messages,
    maxTokens: budget.maxTokens,
    tokens: {
      system: budget.system + budget.tools,
      summary: summarised.tokens,
      kept: sum(false),
      cut: sum(true),
      dropped: dropped.reduce((total, tokens) => total + tokens, 0),
    },
    ledger: itemsOf(ledger, words, dropped),
  };
}

type Words = ReadonlyMap<string, Pick<LedgerItem, "role" | "words">>;

interface Read {
  readonly words: Words;
  /** The size of each range that is dropped: measured as far as it was read, otherwise by the average message. */
  readonly dropped: readonly number[];
}

async function readOf(
  conversation: Conversation,
  branch: string | undefined,
  { dropped }: Context["ledger"],
): Promise<Read> {
  const where = branch === undefined ? {} : { branch };
  const { items } = await conversation.messages({ last: SHOWN_MAX, blobs: "references", ...where });
  const sizes = items.map(({ message }) => estimateTokens(message));
  const sum = (from: number, to: number): number =>
    sizes.slice(from, to).reduce((total, size) => total + size, 0);
  const average = items.length === 0 ? 0 : sum(0, sizes.length) / items.length;
  const placeOf = new Map(items.map(({ id }, index) => [id, index]));
  return {
    words: new Map(items.map(({ id, message }) => [id, { role: message.role, words: shortWords(message) }])),
    dropped: dropped.map(({ from, to, count }) => {
      const end = placeOf.get(to ?? "");
      if (end === undefined) return Math.round(count * average);
      const start = placeOf.get(from ?? "") ?? 0;
      return sum(start, end + 1) + Math.round((count - (end + 1 - start)) * average);
    }),
  };
}

function itemsOf(
  { kept, summarised, dropped, repaired }: Context["ledger"],
  words: Words,
  droppedTokens: readonly number[],
): LedgerItem[] {
  const item = (entry: string | null, rest: Omit<LedgerItem, "entry" | "role" | "words">): LedgerItem => ({
    entry,
    ...rest,
    ...(words.get(entry ?? "") ?? {
      role: null,
      words: rest.what === "summarized" ? "Summary" : "Further back",
    }),
  });
  return [
    ...(summarised.count === 0
      ? []
      : [
          item(summarised.compaction, {
            what: "summarized",
            reason: `A summary replaces ${summarised.count} messages`,
            tokens: summarised.tokens,
          }),
        ]),
    ...dropped.map(({ from, count, reason }, index) => {
      const what = `${count} ${count === 1 ? "message" : "messages"}: ${DROP_WORDS[reason]}`;
      return item(from, { what: "dropped", reason: what, tokens: droppedTokens[index] ?? 0 });
    }),
    ...kept.map(({ id, tokens, truncated, pinned }) =>
      truncated === true
        ? item(id, { what: "cut", reason: "Too long to be sent whole", tokens })
        : item(id, { what: "kept", reason: pinned ? "The last message of the user" : "Fits", tokens }),
    ),
    ...repaired.map(({ id, kind }) => item(id, { what: "repaired", reason: REPAIRED[kind], tokens: 0 })),
  ];
}

const REPAIRED: Readonly<Record<Context["ledger"]["repaired"][number]["kind"], string>> = {
  "missing-result": "A result was added to a tool call without one",
  "orphan-result": "A tool result without a call is left out",
  "duplicate-result": "A second result of a tool call is left out",
  "moved-result": "A tool result was moved behind its call",
  "renamed-call": "A tool call has another id, because its own was taken",
  "misplaced-call": "A tool call that is not from the assistant is left out",
};
