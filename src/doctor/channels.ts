import { channelOf, FAILED, INBOX, OUTBOX } from "../store/jobs/channel-queues.ts";
import type { Job } from "../store/jobs/jobs.ts";
import type { Store } from "../store/store.ts";
import type { Checkup, DoctorFinding } from "./finding.ts";

interface Kind {
  readonly code: string;
  readonly prefix: string;
  readonly one: string;
  readonly many: string;
  readonly fix: string;
}

const KINDS: readonly Kind[] = [
  {
    code: "unanswered-messages",
    prefix: INBOX,
    one: "message is not answered",
    many: "messages are not answered",
    fix: "Start the channel: it answers them. If it is running, look at what it reports",
  },
  {
    code: "undelivered-replies",
    prefix: OUTBOX,
    one: "reply is not delivered",
    many: "replies are not delivered",
    fix: "Start the channel: it delivers them. If it is running, look at what it reports",
  },
  {
    code: "failed-replies",
    prefix: FAILED,
    one: "reply could not be delivered",
    many: "replies could not be delivered",
    fix: "Check that the bot may write there, then start the channel with --retry",
  },
];

/** Until then, a channel may be working on it. */
const GRACE_MS = 5 * 60_000;

/** What channels have accepted and not finished. */
export async function checkChannels(store: Store, nowMs: number = Date.now()): Promise<Checkup> {
  const findings: DoctorFinding[] = [];
  for (const kind of KINDS) {
    const all = await Array.fromAsync(store.jobs.list({ prefix: kind.prefix }));
    const jobs = all.filter(({ at }) => kind.prefix === FAILED || Date.parse(at) < nowMs - GRACE_MS);
    for (const [channel, of] of Map.groupBy(jobs, ({ queue }) => channelOf(queue)))
      findings.push(finding(kind, channel, of));
  }
  return { checked: "Messages of channels", findings };
}

function finding({ code, one, many, fix }: Kind, channel: string, jobs: readonly Job[]): DoctorFinding {
  const oldest = jobs.map(({ at }) => at).toSorted()[0] as string;
  const count = jobs.length;
  const error = jobs.find(({ data }) => typeof data.error === "string")?.data.error;
  const reason = error === undefined ? "" : `: ${String(error)}`;
  return {
    code,
    severity: "warning",
    what: `${channel}: ${count} ${count === 1 ? one : many}, the oldest of ${oldest}${reason}`,
    fix: { text: fix },
    details: { channel, count, oldest },
  };
}
