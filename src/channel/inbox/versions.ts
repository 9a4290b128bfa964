/**
 * A message and its edits, which wait as jobs of their own. One of them is replied to: the newest when the reply is
 * written. Each step is one change that expects what it replaces, so no edit is lost and no second reply is sent.
 */
import type { Conversation } from "../../store/conversation.ts";
import type { Job } from "../../store/jobs/jobs.ts";
import type { Store } from "../../store/store.ts";
import type { JsonObject } from "../../util/json.ts";
import type { InboxData } from "./accept.ts";
import { nameOf } from "./job-names.ts";

/** The versions of a message that wait, oldest first. */
export async function openVersions(
  store: Store,
  queue: string,
  conversation: string,
  message: string,
): Promise<Job[]> {
  const jobs = await Array.fromAsync(store.jobs.list({ queue, conversation }));
  return jobs.filter((job) => messageOf(job) === message);
}

/** Whether a reply to it is still to be sent. An edit of a message that was replied to is in the log, and that is all. */
export function owesReply(job: Job): boolean {
  const { edits, isNext } = dataOf(job);
  return edits === undefined || isNext === true;
}

/** If there is a newer version, it is the one that is replied to. Returns whether there is. */
export async function passOn(store: Store, chat: Conversation, job: Job): Promise<boolean> {
  const versions = await openVersions(store, job.queue, chat.id, messageOf(job));
  const newer = versions.slice(versions.findIndex(({ id }) => id === job.id) + 1);
  for (const next of newer.toReversed()) {
    // One whose message is not there is being written, or was when its process was killed.
    if ((await chat.entry(dataOf(next).entry)) === undefined) continue;
    const former = [job, ...newer.slice(0, newer.indexOf(next))].map(nameOf);
    const put = [{ ...next, data: { ...next.data, isNext: true } }];
    await store.jobs.change({ expect: [...former, nameOf(next)], remove: former, put });
    return true;
  }
  return false;
}

function messageOf(job: Job): string {
  return dataOf(job).edits ?? job.id;
}

function dataOf({ data }: Job): InboxData {
  return data as JsonObject & InboxData;
}
