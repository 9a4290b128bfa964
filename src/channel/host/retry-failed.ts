import { channelQueues } from "../../store/jobs/channel-queues.ts";
import type { Store } from "../../store/store.ts";
import type { ChannelName } from "../inbox/accept.ts";

/** Deliver replies again that the platform refused. */
export async function retryFailed(store: Store, { name, accountId }: ChannelName): Promise<void> {
  const { failed, outbox } = channelQueues(name, accountId);
  for await (const job of store.jobs.list({ queue: failed })) {
    const { error: _, due: __, ...data } = job.data;
    const former = { queue: failed, id: job.id };
    const put = [{ ...job, queue: outbox, data: { ...data, attempts: 0 } }];
    await store.jobs.change({ expect: [former], remove: [former], put });
  }
}
