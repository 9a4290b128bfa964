import { DROP_WORDS } from "../../../context/ledger.ts";
import { ColloquyError, invalid } from "../../../errors.ts";
import { isModelApi, MODEL_APIS, type ModelApi } from "../../../message/apis/index.ts";
import type { PlainMessage } from "../../../message/apis/plain.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Context, ContextOptions } from "../../../store/index.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { branchOf, branchOption } from "../../input/branch-name.ts";
import { givenNumber } from "../../input/integer.ts";
import { PROGRAM } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { readConversation } from "../../store/open-store.ts";
import { counted, numberText } from "../../terminal/count-text.ts";
import { table } from "../../terminal/table.ts";
import { readableOf } from "../../view/message-view.ts";

const STRATEGIES = ["auto", "full", "sliding", "sandwich"] as const;
const TEXT_CHARS = 1000;

export function run(call: Call): Promise<Result> {
  const options = optionsOf(call);
  return readConversation(call, async (conversation) => {
    if (options.branch !== undefined) await branchOf(conversation, options.branch);
    const api = apiOf(call);
    if (api === undefined) return shown(call.out, await contextOf(conversation, options));
    const { ledger, tokens, ...request } = await contextOf(conversation, { ...options, as: api });
    // A request is JSON for readers too.
    call.out.json(call.json ? { ...request, ledger, tokens } : request);
    return { json: null };
  });
}

function shown(out: Output, context: Context): Result {
  const { system = null, messages, ledger, tokens } = context;
  const table = messages.length === 0 ? [] : ["", ...messageTable(out, messages)];
  return { json: { system, messages, ledger, tokens }, lines: [...ledgerLines(out, context), ...table] };
}

function apiOf({ values }: Call): ModelApi | undefined {
  const api = values.get("as");
  if (api === undefined || isModelApi(api)) return api;
  throw invalid(`Unknown API "${api}": expected one of ${MODEL_APIS.join(", ")}`, "as");
}

function optionsOf(call: Call): ContextOptions {
  const maxTokens = givenNumber(call, "max-tokens");
  if (maxTokens === undefined) {
    throw new UsageError(
      `"sessions context" requires --max-tokens. See ${PROGRAM} sessions context --help`,
      "max-tokens",
    );
  }
  const strategy = strategyOf(call);
  const last = givenNumber(call, "last");
  if (last !== undefined && strategy !== "sliding")
    throw new UsageError("--last requires --strategy sliding", "last");
  const reserveForOutput = givenNumber(call, "reserve-for-output", 0);
  return { maxTokens, strategy, last, reserveForOutput, branch: branchOption(call) };
}

function strategyOf({ values }: Call): (typeof STRATEGIES)[number] {
  const given = values.get("strategy") ?? "auto";
  const known = STRATEGIES.find((strategy) => strategy === given);
  if (known === undefined)
    throw invalid(`Unknown strategy "${given}": use auto, full, sliding or sandwich`, "strategy");
  return known;
}

async function contextOf<Api extends ModelApi | undefined>(
  conversation: Conversation,
  options: ContextOptions<Api>,
): Promise<Context<Api>> {
  try {
    return await conversation.context(options);
  } catch (error) {
    if (!(error instanceof ColloquyError)) throw error;
    if (error.field === "summarize") {
      throw new ColloquyError(
        "NOT_SUPPORTED",
        "The strategy sandwich must summarise the middle, and this command asks no model: use another strategy, or sessions compact first",
        { field: "strategy", cause: error },
      );
    }
    // The error of the library, with the name of the option.
    const field = error.field === "maxTokens" ? "max-tokens" : error.field;
    throw new ColloquyError(error.code, error.message, { field, cause: error });
  }
}

function ledgerLines(out: Output, { messages, ledger, tokens }: Context): string[] {
  const { budget, kept, summarised, repaired, dropped, holes } = ledger;
  const fact = (name: string, text: string): string => `${out.style("bold", name.padEnd(11))} ${text}`;
  const room = `${numberText(tokens)} of ${numberText(budget.available)} tokens`;
  const cutShort = kept.filter(({ truncated }) => truncated).length;
  return [
    fact("Sent", `${counted(messages.length, "message")}, ${room}`),
    fact(
      "Window",
      `${numberText(budget.maxTokens)}, ${numberText(budget.reserveForOutput)} reserved for the answer`,
    ),
    fact(
      "Kept",
      counted(kept.length, "message") + (cutShort > 0 ? `, ${numberText(cutShort)} truncated` : ""),
    ),
    ...(summarised.count === 0 ? [] : [fact("Summarised", counted(summarised.count, "message"))]),
    ...[...Map.groupBy(dropped, ({ reason }) => reason)].map(([reason, parts]) => {
      const count = parts.reduce((sum, part) => sum + part.count, 0);
      return fact("Dropped", `${counted(count, "message")}: ${DROP_WORDS[reason]}`);
    }),
    ...Object.entries(countBy(repaired.map(({ kind }) => kind))).map(([kind, count]) =>
      fact("Repaired", `${numberText(count)} × ${kind}`),
    ),
    ...(holes.length === 0
      ? []
      : [fact("Damaged", `messages are missing in ${counted(holes.length, "place")}`)]),
  ];
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function messageTable(out: Output, messages: readonly PlainMessage[]): string[] {
  return table(
    out,
    [
      { title: "ROLE", rank: 0 },
      { title: "TEXT", rank: 1, min: 8 },
    ],
    messages.map((message) => [message.role, safeLine(readableOf(message).slice(0, TEXT_CHARS))]),
  );
}
