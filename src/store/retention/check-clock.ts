/** A clock that is wrong must not remove conversations. */
import { activeAt, type ConversationInfo } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import { isoTime, timeOf } from "../../util/time.ts";
import type { RetentionPlan } from "./retention.ts";

const DAY_MS = 86_400_000;
/** A store that is in use has a newer message than this. */
const IDLE_DAYS_MAX = 30;

/**
 * Throws `CONFLICT` if the clock is far ahead of the newest message, and a
 * clock that is not would remove less. A jump of the clock and a store that was
 * not used for a while look the same, so that only the caller can decide.
 */
export function checkClock(
  nowMs: number,
  conversations: readonly ConversationInfo[],
  planAt: (nowMs: number) => RetentionPlan,
): void {
  const newestMs = conversations.reduce((newest, info) => Math.max(newest, timeOf(activeAt(info))), 0);
  const believedMs = newestMs + IDLE_DAYS_MAX * DAY_MS;
  if (nowMs <= believedMs || conversations.length === 0) return;
  const doubtful = countOf(planAt(nowMs)) - countOf(planAt(believedMs));
  if (doubtful === 0) return;
  const days = Math.floor((nowMs - newestMs) / DAY_MS);
  throw new ColloquyError(
    "CONFLICT",
    `The clock says ${isoTime(nowMs)}, ${days} days after the newest message: ${doubtful} conversations would be ` +
      "removed only because of that. Nothing was removed. Check the clock; if it is right, repeat with force",
    { field: "clock", details: { now: isoTime(nowMs), newest: isoTime(newestMs) } },
  );
}

function countOf({ trashed, removed }: RetentionPlan): number {
  return trashed.length + removed.length;
}
