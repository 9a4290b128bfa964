/** Questions about tools, which any client that may write in the conversation can answer. */
import { randomUUID } from "node:crypto";
import type { ApprovalRequest } from "../../agent/index.ts";
import { ColloquyError } from "../../errors.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import type { RunView } from "./run-view.ts";

interface Open {
  readonly conversation: string;
  answer(allow: boolean): void;
}

/** That of `approvedTools`, which refuses the tool afterwards. */
const ANSWER_MS = 5 * 60_000;

export class Approvals {
  readonly #open = new Map<string, Open>();

  /** Resolves with the answer, and with `false` when there is none in time or the run was stopped. */
  ask(conversation: string, view: RunView, { tool, input, signal }: ApprovalRequest): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const id = randomUUID();
    const end = (allow: boolean): void => {
      if (!this.#open.delete(id)) return;
      signal.removeEventListener("abort", refuse);
      view.answered(id, allow);
      resolve(allow);
    };
    const refuse = (): void => end(false);
    this.#open.set(id, { conversation, answer: end });
    const expiresAt = new Date(Date.now() + ANSWER_MS).toISOString();
    view.asked({ id, tool, input: redactSecrets(JSON.stringify(input)).text, expiresAt });
    signal.addEventListener("abort", refuse);
    if (signal.aborted) refuse();
    return promise;
  }

  /** The conversation of a question. */
  conversationOf(id: string): string {
    return this.#find(id).conversation;
  }

  /** The first answer counts. */
  answer(id: string, allow: boolean): void {
    this.#find(id).answer(allow);
  }

  #find(id: string): Open {
    const open = this.#open.get(id);
    if (open !== undefined) return open;
    throw new ColloquyError("NOT_FOUND", "There is no such question: it was answered, or its time is over", {
      field: "id",
    });
  }
}
