/** What can be done with messages and at the rules between them. */
import { useMemo } from "preact/hooks";
import { ask } from "../api/live.ts";
import { newId } from "../state/new-id.ts";
import { showProblem, showToast } from "../ui/toast.tsx";
import type { Chat } from "./chat.ts";
import type { MessageActions } from "./message/message.tsx";
import type { RuleActions } from "./message/rule.tsx";
import { addBranch, checkOut, redactEntry, undoCompaction } from "./requests.ts";

export type Actions = MessageActions & RuleActions;

export function useActions(chat: Chat): Actions {
  return useMemo(() => {
    const conversation = chat.id;
    const attempt = async (what: string, run: () => Promise<unknown>): Promise<void> => {
      try {
        await chat.move(run);
      } catch (error) {
        showProblem(what, error);
      }
    };
    return {
      edit: ({ id: entry }, text) =>
        chat.move(async () => {
          const order = { conversation, entry, text, idempotencyKey: newId() };
          chat.sent.set((await ask("chat.edit", order)).entry);
        }),
      regenerate: ({ id: entry }) =>
        void attempt("It was not answered again", () =>
          ask("chat.regenerate", { conversation, entry, idempotencyKey: newId() }),
        ),
      branch: ({ id: entry }) =>
        void attempt("The branch was not created", async () => {
          await addBranch(conversation, entry);
          showToast("A new branch begins here. What you write next goes there.");
        }),
      async redact({ id: entry }) {
        await redactEntry(conversation, entry);
        await chat.timeline.refresh();
      },
      undoCompaction: ({ id: entry }) =>
        void attempt("The compaction was not undone", () => undoCompaction(conversation, entry)),
      resume: () => void attempt("The answer was not resumed", () => ask("chat.resume", { conversation })),
      switchTo: (branch) => void attempt("The branch was not switched", () => checkOut(conversation, branch)),
    };
  }, [chat]);
}
