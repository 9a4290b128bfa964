/** Asks users about tools, in the chat in which they wrote. */
import { setTimeout as sleep } from "node:timers/promises";
import { type ChunkSettings, chunk } from "../../agent/chunker/index.ts";
import type { ApprovalRequest, Approve } from "../../agent/index.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { DeliveryAddress } from "../../key/index.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { objectIn, textIn } from "../../util/values.ts";
import type { Channel } from "../channel.ts";
import { isPermanent, nonceOf } from "../inbox/delivery.ts";
import { questionText } from "./question-text.ts";
import { Questions } from "./questions.ts";

interface ApprovalsOptions {
  readonly store: Store;
  readonly channel: Channel;
  readonly cuts: ChunkSettings;
  readonly onProblem: (problem: ColloquyError) => void;
}

/** Where a run asks, and whom. */
export interface AskedPlace {
  readonly conversation: Conversation;
  readonly address: DeliveryAddress;
  readonly isDirect: boolean;
  readonly approvers: readonly string[];
}

const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 30_000;

export class ChannelApprovals {
  readonly questions: Questions;
  readonly #options: ApprovalsOptions;
  /** The last question of each conversation: there is one at a time. */
  readonly #last = new Map<string, Promise<boolean>>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.questions = new Questions(options.store, options.channel);
  }

  /** How a run asks; `undefined` if nobody may answer. */
  approveIn(place: AskedPlace): Approve | undefined {
    if (place.approvers.length === 0) return undefined;
    const { id } = place.conversation;
    return (request) => {
      const before = this.#last.get(id) ?? Promise.resolve(false);
      const asked = before.catch(() => false).then(() => this.#ask(request, place));
      this.#last.set(id, asked);
      const forget = (): void => {
        if (this.#last.get(id) === asked) this.#last.delete(id);
      };
      asked.then(forget, forget);
      return asked;
    };
  }

  async #ask(
    { tool, input, callId, timeoutMs, signal }: ApprovalRequest,
    place: AskedPlace,
  ): Promise<boolean> {
    const { conversation, approvers, isDirect } = place;
    const text = questionText(tool, input, { timeoutMs, isDirect });
    if (text === undefined) {
      await this.#send(
        place,
        `I do not use the tool ${tool}: its input is too long to be shown.`,
        callId,
        signal,
      );
      return false;
    }
    const question = await this.questions.begin(conversation.id, tool, approvers);
    try {
      await this.questions.sent(question, await this.#send(place, text, question.id, signal));
      const given = await this.questions.wait(question, signal);
      await conversation.record({ type: "approval", tool, call: callId, ...given });
      return given.answer === "yes" && !signal.aborted;
    } finally {
      await this.questions.end(question).catch(() => {});
    }
  }

  /** Returns the time of the last message on its platform, if it says so. */
  async #send(
    { address }: AskedPlace,
    text: string,
    id: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    let sentAt: string | undefined;
    for (const [at, { text: part }] of chunk(text, this.#options.cuts).entries()) {
      sentAt = await this.#sendPart(address, part, nonceOf(id, at), signal);
    }
    return sentAt;
  }

  /** Tried again until nobody waits for the answer any more. */
  async #sendPart(
    address: DeliveryAddress,
    text: string,
    nonce: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { channel, onProblem } = this.#options;
    for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
      signal.throwIfAborted();
      try {
        const sent: unknown = await channel.send(address, text, { nonce });
        return textIn(objectIn(sent)?.at);
      } catch (error) {
        const problem = asColloquyError(error, `Cannot send to ${channel.name}`);
        onProblem(problem);
        if (isPermanent(problem)) throw problem;
        await sleep(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}
