/**
 * Delivers answers: message after message, with its progress in the job.
 *
 * A kill between the sending of a message and the note of it sends that message
 * again, with the same nonce: a platform that knows nonces drops it.
 */
import { type ChunkSettings, chunk } from "../../agent/chunker/index.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { DeliveryAddress } from "../../key/index.ts";
import { textOf } from "../../message/text.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Job } from "../../store/jobs/jobs.ts";
import type { Store } from "../../store/store.ts";
import { defined, type JsonObject } from "../../util/json.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { isoTime } from "../../util/time.ts";
import type { Channel } from "../channel.ts";
import { nameOf } from "./job-names.ts";

/** What the job of an answer says. */
export interface OutboxData {
  readonly address: DeliveryAddress;
  /** The answer. */
  readonly entry?: string;
  /** A sentence to send instead of an answer. */
  readonly notice?: string;
  /** The message that is answered, on its platform. */
  readonly replyTo?: string;
  /** As it was cut when the delivery began. */
  readonly cuts: ChunkSettings;
  /** The next message to send. */
  readonly next: number;
  readonly attempts: number;
  /** When to try again. */
  readonly due?: string;
}

export interface DeliveryOptions {
  readonly store: Store;
  readonly channel: Pick<Channel, "name" | "accountId" | "send">;
  /** Where answers go that cannot be delivered. */
  readonly failedQueue: string;
  readonly onProblem: (problem: ColloquyError) => void;
  readonly nowMs: () => number;
}

const ATTEMPTS_MAX = 12;
const BACKOFF_FIRST_MS = 2000;
const BACKOFF_MAX_MS = 600_000;
const PERMANENT: ReadonlySet<string> = new Set(["NOT_FOUND", "FORBIDDEN", "VALIDATION_ERROR"]);

/** Whether no later attempt to send can succeed. */
export function isPermanent({ code }: ColloquyError): boolean {
  return PERMANENT.has(code);
}

/** Send what is left of an answer. False if it has to be tried again later. The caller holds the lease. */
export async function deliver(options: DeliveryOptions, chat: Conversation, job: Job): Promise<boolean> {
  const { store, channel } = options;
  const { address, replyTo, next } = dataOf(job);
  const texts = await textsOf(chat, dataOf(job));
  let current = job;
  for (let at = next; at < texts.length; at++) {
    const reply = at === 0 ? defined({ replyTo }) : {};
    try {
      await channel.send(address, texts[at] as string, { nonce: nonceOf(job.id, at), ...reply });
    } catch (error) {
      return failed(options, current, asColloquyError(error, `Cannot send to ${channel.name}`));
    }
    current = { ...job, data: { ...job.data, next: at + 1, attempts: 0 } };
    if (at + 1 < texts.length) await store.jobs.change({ expect: [nameOf(job)], put: [current] });
  }
  await store.jobs.change({ remove: [nameOf(job)] });
  return true;
}

/** Whether an answer may be tried now. One that is due after the longest wait was put by a clock that was wrong. */
export function isDue({ data }: Job, nowMs: number): boolean {
  if (typeof data.due !== "string") return true;
  return data.due <= isoTime(nowMs) || data.due > isoTime(nowMs + BACKOFF_MAX_MS);
}

function dataOf({ data }: Job): OutboxData {
  return data as JsonObject & OutboxData;
}

/** Nothing is left to send if the answer was redacted or removed. */
async function textsOf(chat: Conversation, { entry, notice, cuts }: OutboxData): Promise<string[]> {
  const message = entry === undefined ? undefined : (await chat.entry(entry))?.message;
  const text = notice ?? (message === undefined ? "" : textOf(message));
  return chunk(text, cuts)
    .map((one) => one.text)
    .filter((one) => one.trim() !== "");
}

/** The same for every attempt, and short enough for every platform. */
export function nonceOf(id: string, at: number): string {
  return sha256Hex(`${id}\n${at}`).slice(0, 24);
}

async function failed(options: DeliveryOptions, job: Job, error: ColloquyError): Promise<boolean> {
  const { store, failedQueue, onProblem, nowMs } = options;
  const attempts = dataOf(job).attempts + 1;
  if (isPermanent(error) || attempts >= ATTEMPTS_MAX) {
    const data = { ...job.data, error: error.message, attempts };
    const put = [{ ...job, queue: failedQueue, data }];
    await store.jobs.change({ expect: [nameOf(job)], remove: [nameOf(job)], put });
    onProblem(error);
    return true;
  }
  const waitMs = Math.min(BACKOFF_FIRST_MS * 2 ** (attempts - 1), BACKOFF_MAX_MS);
  const retry = { ...job, data: { ...job.data, attempts, due: isoTime(nowMs() + waitMs) } };
  await store.jobs.change({ expect: [nameOf(job)], put: [retry] });
  onProblem(error);
  return false;
}
