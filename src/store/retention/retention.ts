import { activeAt, type ConversationInfo } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import { timeOf } from "../../util/time.ts";

/** Limits. One that is not set removes nothing. */
export interface RetentionLimits {
  /** Trash conversations without a message for this many days. */
  readonly maxAgeDays?: number;
  /** Per channel: trash the least recently active conversations until N messages are left. */
  readonly maxMessages?: number;
  readonly maxBytes?: number;
  /** Purge conversations after this many days in the trash. */
  readonly trashDays?: number;
}

export interface RetentionPolicy extends RetentionLimits {
  /** Limits for individual channels. */
  readonly channels?: Readonly<Record<string, RetentionLimits>>;
}

export interface RetentionItem {
  readonly id: string;
  /** The title, or else the session key. */
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
}

export interface RetentionReport {
  readonly dryRun: boolean;
  /** Moved to the trash; they can be restored. */
  readonly trashed: readonly RetentionItem[];
  /** Purged. */
  readonly removed: readonly RetentionItem[];
  /** Size of the purged conversations. */
  readonly bytes: number;
}

const DAY_MS = 86_400_000;
const LIMITS = ["maxAgeDays", "maxMessages", "maxBytes", "trashDays"] as const;
const LIMIT_MEMBERS: ReadonlySet<string> = new Set(LIMITS);
const POLICY_MEMBERS: ReadonlySet<string> = new Set([...LIMITS, "channels"]);

export function checkPolicy(policy: RetentionPolicy): RetentionPolicy {
  checkProperties(policy, POLICY_MEMBERS, "policy");
  checkLimits(policy, "policy");
  const { channels = {} } = policy;
  checkProperties(channels, new Set(Object.keys(channels)), "channels");
  for (const [channel, limits] of Object.entries(channels)) {
    checkProperties(limits, LIMIT_MEMBERS, `channels.${channel}`);
    checkLimits(limits, `channels.${channel}`);
  }
  return policy;
}

function checkLimits(limits: RetentionLimits, path: string): void {
  for (const member of LIMITS) {
    const value = limits[member];
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw invalid(`${path}.${member} must be 0 or more`, member);
    }
  }
}

export interface RetentionPlan {
  readonly trashed: readonly RetentionItem[];
  readonly removed: readonly RetentionItem[];
}

/** What a policy would remove. Changes nothing. */
export function planRetention(
  policy: RetentionPolicy,
  live: readonly ConversationInfo[],
  trash: readonly ConversationInfo[],
  sizes: Readonly<Record<string, number>>,
  nowMs: number,
): RetentionPlan {
  const item = ({ id, title, key, messageCount }: ConversationInfo): RetentionItem => ({
    id,
    name: title ?? key ?? id,
    entries: messageCount,
    bytes: sizes[id] ?? 0,
  });
  const limitsOf = ({ channel }: ConversationInfo): RetentionLimits => ({
    ...policy,
    ...(channel === null ? {} : policy.channels?.[channel]),
  });
  const trashed = [...Map.groupBy(live, ({ channel }) => channel).values()].flatMap((channel) => {
    const newestFirst = channel.toSorted((a, b) => (activeAt(a) < activeAt(b) ? 1 : -1));
    return beyond(newestFirst, limitsOf(newestFirst[0] as ConversationInfo), sizes, nowMs);
  });
  const expired = trash.filter((info) => {
    const { trashDays } = limitsOf(info);
    return trashDays !== undefined && isOlder(info.deletedAt ?? info.updatedAt, trashDays, nowMs);
  });
  return { trashed: trashed.map(item), removed: expired.map(item) };
}

/** The conversations of one channel that are too old or too many. The newest is never too many. */
function beyond(
  newestFirst: readonly ConversationInfo[],
  {
    maxAgeDays,
    maxMessages = Number.POSITIVE_INFINITY,
    maxBytes = Number.POSITIVE_INFINITY,
  }: RetentionLimits,
  sizes: Readonly<Record<string, number>>,
  nowMs: number,
): ConversationInfo[] {
  let messages = 0;
  let bytes = 0;
  return newestFirst.filter((info, index) => {
    messages += info.messageCount;
    bytes += sizes[info.id] ?? 0;
    if (maxAgeDays !== undefined && isOlder(activeAt(info), maxAgeDays, nowMs)) return true;
    return index > 0 && (messages > maxMessages || bytes > maxBytes);
  });
}

function isOlder(at: string, days: number, nowMs: number): boolean {
  return timeOf(at) < nowMs - days * DAY_MS;
}
