import { plainSummary } from "../../../agent/loop/plain-summary.ts";
import { compactSession } from "../../../channel/setup/compact-session.ts";
import { ColloquyError } from "../../../errors.ts";
import type { CompactionEntry } from "../../../message/types.ts";
import type { Conversation } from "../../../store/index.ts";
import { defined } from "../../../util/json.ts";
import { modelOf } from "../../chat/model-of.ts";
import type { CompactionView } from "../../wire/rest.ts";
import { defineRoute, type Route } from "../route.ts";
import { ENTRY, listOf, NAME } from "../schemas.ts";
import { setupOf } from "./answered-by.ts";
import { conversationOf } from "./conversation-view.ts";

const PATH = "/api/v1/conversations/{id}/compactions";
const COUNT = { type: "integer", minimum: 0, maximum: 100_000_000 } as const;

export const COMPACTION_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: PATH,
    permission: "read",
    scoped: "conversation",
    summary: "The compactions on all branches, including undone ones",
    answer: listOf({ type: "object" }),
    handle: async (request, gateway) => {
      const conversation = await conversationOf(request, gateway);
      const items: CompactionView[] = [];
      for (const one of await conversation.compactions()) items.push(await viewOf(conversation, one));
      return { json: { items, cursor: null } };
    },
  }),
  defineRoute({
    method: "POST",
    path: PATH,
    permission: "write",
    scoped: "conversation",
    summary:
      "Replace the beginning with a summary, in contexts only; by the model of the session if there is one",
    body: {
      type: "object",
      properties: {
        summary: { type: "string", minLength: 1, maxLength: 1_000_000 },
        strategy: { enum: ["model", "plain"] },
        model: NAME,
        keepMessages: COUNT,
        keepTokens: COUNT,
      },
    },
    status: 201,
    answer: ENTRY,
    handle: async (request, gateway) => {
      const { summary, strategy = "model", model, ...given } = request.body;
      const conversation = await conversationOf(request, gateway);
      const keep = { ...defined(given), signal: request.signal };
      const plainly = (): Promise<CompactionEntry | undefined> =>
        conversation.compact({ ...keep, summarize: plainSummary, strategy: "plain" });
      const info = await conversation.info();
      const setup = await setupOf(info, gateway);
      const asked = modelOf(setup, info, model);
      const entry =
        summary !== undefined
          ? await conversation.compact({ ...keep, summarize: () => summary })
          : strategy === "plain"
            ? await plainly()
            : await compactSession(setup, conversation, { ...keep, asked, withoutModel: plainly });
      if (entry === undefined) {
        throw new ColloquyError(
          "CONFLICT",
          "There is too little before the part that is kept: nothing changed",
        );
      }
      return { json: entry };
    },
  }),
  defineRoute({
    method: "POST",
    path: `${PATH}/{entry}/undo`,
    permission: "write",
    scoped: "conversation",
    summary: "Undo a compaction: its messages are included in contexts again",
    answer: ENTRY,
    handle: async (request, gateway) => ({
      json: await (await conversationOf(request, gateway)).undoCompaction(request.params.entry ?? ""),
    }),
  }),
];

async function viewOf(
  conversation: Conversation,
  { id, seq, undone }: { readonly id: string; readonly seq: number; readonly undone: boolean },
): Promise<CompactionView> {
  const entry = await conversation.entry(id);
  const { summary = "", strategy = null, summarised = 0 } = entry?.kind === "compaction" ? entry.data : {};
  return { id, seq, at: entry?.at ?? "", summary, strategy, summarised, undone };
}
