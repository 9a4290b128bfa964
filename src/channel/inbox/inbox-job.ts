/** The job of an accepted message, from the moment it can be answered to the reply that takes its place. */
import type { Conversation } from "../../store/conversation.ts";
import type { Job } from "../../store/jobs/jobs.ts";
import type { Store } from "../../store/store.ts";
import type { JsonObject } from "../../util/json.ts";
import type { Channel } from "../channel.ts";
import { loadFiles } from "./files.ts";
import { isGone, nameOf } from "./job-names.ts";
import { owesReply, passOn } from "./versions.ts";

interface Place {
  readonly store: Store;
  readonly channel: Pick<Channel, "download">;
}

/**
 * Whether a job is to be done now: its message is there, with its files, and has no newer version. The caller holds the
 * lease.
 */
export async function isReady(
  { store, channel }: Place,
  chat: Conversation,
  { queue, id }: Job,
): Promise<boolean> {
  const job = await store.jobs.get(queue, id);
  if (job === undefined || !(await hasMessage(store, chat, job))) return false;
  if (!owesReply(job)) {
    await store.jobs.change({ remove: [nameOf(job)] });
    return false;
  }
  if (await passOn(store, chat, job)) return false;
  await loadFiles(chat, job, String(job.data.entry), channel.download?.bind(channel));
  return true;
}

/**
 * A crash may have come between the job and the message: then the message was never accepted, and the platform sends it
 * again.
 */
async function hasMessage(store: Store, chat: Conversation, job: Job): Promise<boolean> {
  const isThere = async (): Promise<boolean> => (await chat.entry(String(job.data.entry))) !== undefined;
  if (await isThere()) return true;
  await store.jobs.change({ remove: [nameOf(job)] });
  if (!(await isThere())) return false;
  // The platform has sent it again just now, and it has lost its job here.
  await store.jobs.change({ put: [job] });
  return true;
}

/** From now on the message is answered, and its reply is to be delivered. One process does this for each message. */
export async function putReply(
  store: Store,
  outbox: string,
  chat: Conversation,
  job: Job,
  said: JsonObject,
): Promise<void> {
  const data = { ...said, next: 0, attempts: 0 };
  const reply = { queue: outbox, id: String(job.data.entry), conversation: chat.id, data };
  try {
    // It was edited in the meantime: this answer stays in the log, and the new version is replied to.
    if (await passOn(store, chat, job)) return;
    await store.jobs.change({ expect: [nameOf(job)], remove: [nameOf(job)], put: [reply] });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
