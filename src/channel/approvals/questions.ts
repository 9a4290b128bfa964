/**
 * Questions about tools that wait for an answer, as jobs of the store: any process with the same token can receive the
 * answer. Each has its own id, so that an answer to one that a killed process has asked approves nothing.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, JobName } from "../../store/jobs/jobs.ts";
import type { Store } from "../../store/store.ts";
import type { JsonObject } from "../../util/json.ts";
import type { ChannelMessage } from "../channel.ts";
import type { ChannelName } from "../inbox/accept.ts";
import { isGone, nameOf } from "../inbox/job-names.ts";
import type { Answer } from "./question-text.ts";

interface QuestionData {
  readonly tool: string;
  /** Ids of the users who may answer. */
  readonly approvers: readonly string[];
  readonly isSent: boolean;
  /** The time of the question on its platform, if it says so. */
  readonly sentAt: string | null;
  readonly answer: Answer | null;
  /** Who has answered, and in which message. */
  readonly by: string | null;
  readonly messageId: string | null;
}

type Given = Pick<QuestionData, "answer" | "by" | "messageId">;

const NO_ANSWER: Given = { answer: null, by: null, messageId: null };

const LOOK_MS = 100;
/** Sending takes less, or the question is not there yet for those who answer. */
const SENDING_MAX_MS = 10_000;

export class Questions {
  readonly #store: Store;
  readonly #queue: string;

  constructor(store: Store, { name, accountId }: ChannelName) {
    this.#store = store;
    this.#queue = `approvals:${name}:${accountId}`;
  }

  /** Begin a question. Those that killed processes left in the conversation end. */
  async begin(conversation: string, tool: string, approvers: readonly string[]): Promise<Job> {
    const left = await Array.fromAsync(this.#store.jobs.list({ queue: this.#queue, conversation }));
    const data = { tool, approvers: [...approvers], isSent: false, sentAt: null, ...NO_ANSWER };
    const name = { queue: this.#queue, id: randomUUID() };
    await this.#store.jobs.change({ remove: left.map(nameOf), put: [{ ...name, conversation, data }] });
    return (await this.#store.jobs.get(name.queue, name.id)) as Job;
  }

  /** From now on it can be answered. */
  async sent(question: Job, sentAt: string | undefined): Promise<void> {
    const data = { ...question.data, isSent: true, sentAt: sentAt ?? null };
    await this.#store.jobs.change({ expect: [nameOf(question)], put: [{ ...question, data }] });
  }

  /** Waits for the answer. There is none if the signal is aborted before. */
  async wait(question: JobName, signal: AbortSignal): Promise<Given> {
    while (!signal.aborted) {
      const job = await this.#store.jobs.get(question.queue, question.id);
      if (job === undefined) return NO_ANSWER;
      const { answer, by, messageId } = dataOf(job);
      if (answer !== null) return { answer, by, messageId };
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    return NO_ANSWER;
  }

  async end(question: JobName): Promise<void> {
    await this.#store.jobs.change({ remove: [nameOf(question)] });
  }

  /**
   * The question that a message of its author can answer. A message that was written before the question, or received
   * before it was sent, cannot.
   */
  async answerable({ from, at }: ChannelMessage, conversation: string): Promise<Job | undefined> {
    const endMs = performance.now() + SENDING_MAX_MS;
    for (let isEarly = false; performance.now() < endMs; isEarly = true, await sleep(LOOK_MS)) {
      const open = await Array.fromAsync(this.#store.jobs.list({ queue: this.#queue, conversation }));
      const question = open.find((job) => dataOf(job).approvers.includes(from.id));
      if (question === undefined) return undefined;
      const { isSent, sentAt, answer } = dataOf(question);
      if (answer !== null) return undefined;
      if (!isSent) continue;
      // The times of the platform decide, if it has any: then it does not matter what arrived first here.
      const isLater = at === undefined || sentAt === null ? !isEarly : Date.parse(at) > Date.parse(sentAt);
      return isLater ? question : undefined;
    }
    return undefined;
  }

  /** False if it has ended. */
  async answer(question: Job, answer: Answer, { id, from }: ChannelMessage): Promise<boolean> {
    const given = { answer, by: from.id, messageId: id };
    const put = [{ ...question, data: { ...question.data, ...given } }];
    try {
      await this.#store.jobs.change({ expect: [nameOf(question)], put });
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }
}

function dataOf({ data }: Job): QuestionData {
  return data as JsonObject & QuestionData;
}
