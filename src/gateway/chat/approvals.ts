/** Questions about tools, which the owner answers from any client. */
import { randomUUID } from "node:crypto";
import type { ApprovalRequest } from "../../agent/index.ts";
import { ColloquyError } from "../../errors.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import type { Redaction } from "../../store/write/redaction.ts";
import { cleaned } from "./run-tools.ts";
import type { RunView } from "./run-view.ts";

export class Approvals {
  readonly #open = new Map<string, (allow: boolean) => void>();
  readonly #redaction: Redaction | undefined;

  constructor(redaction: Redaction | undefined) {
    this.#redaction = redaction;
  }

  /** Resolves with the answer, and with `false` when there is none in time or the run was stopped. */
  ask(view: RunView, request: ApprovalRequest): Promise<boolean> {
    const { tool, input, timeoutMs, signal } = request;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const id = randomUUID();
    const end = (allow: boolean): void => {
      if (!this.#open.delete(id)) return;
      signal.removeEventListener("abort", refuse);
      view.answered(id, allow);
      resolve(allow);
    };
    const refuse = (): void => end(false);
    this.#open.set(id, end);
    const expiresAt = new Date(Date.now() + timeoutMs).toISOString();
    const shown = redactSecrets(JSON.stringify(cleaned(input, this.#redaction))).text;
    view.asked({ id, tool, input: shown, expiresAt });
    signal.addEventListener("abort", refuse);
    if (signal.aborted) refuse();
    return promise;
  }

  /** The first answer counts. */
  answer(id: string, allow: boolean): void {
    const end = this.#open.get(id);
    if (end === undefined) {
      throw new ColloquyError(
        "NOT_FOUND",
        "There is no such question: it was answered, or its time is over",
        {
          field: "id",
        },
      );
    }
    end(allow);
  }
}
