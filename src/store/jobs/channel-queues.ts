/** The queues of the channels, by the channel and the account that they belong to. The doctor reports what is in them. */

/** Messages that were accepted and are not answered. */
export const INBOX = "inbox:";
/** Answers that are not delivered, or not completely. */
export const OUTBOX = "outbox:";
/** Answers that the platform refused, or that could not be delivered after many attempts. */
export const FAILED = "failed:";

export interface ChannelQueues {
  readonly inbox: string;
  readonly outbox: string;
  readonly failed: string;
}

export function channelQueues(channel: string, accountId: string): ChannelQueues {
  const place = `${channel}:${accountId}`;
  return { inbox: INBOX + place, outbox: OUTBOX + place, failed: FAILED + place };
}

/** The channel of a queue. */
export function channelOf(queue: string): string {
  return queue.split(":")[1] ?? queue;
}
