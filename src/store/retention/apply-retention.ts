import { ColloquyError } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import type { StoreAccess } from "../access.ts";
import type { Store } from "../store.ts";
import { checkClock } from "./check-clock.ts";
import {
  checkPolicy,
  planRetention,
  type RetentionPlan,
  type RetentionPolicy,
  type RetentionReport,
} from "./retention.ts";

export interface RetentionOptions {
  /** Only report what would be removed. */
  readonly dryRun?: boolean;
  /** Believe the clock, even if it is far ahead of the newest message. */
  readonly force?: boolean;
}

const OPTIONS: ReadonlySet<string> = new Set(["dryRun", "force"]);

/** See `store.retain`. */
export async function retain(
  store: Store,
  access: StoreAccess,
  policy: RetentionPolicy,
  options: RetentionOptions,
): Promise<RetentionReport> {
  checkPolicy(policy);
  checkProperties(options, OPTIONS, "options");
  const dryRun = options.dryRun === true;
  if (!dryRun) access.assertWritable();
  const { sizes } = await store.stats();
  const live = await Array.fromAsync(store.list());
  const trash = await Array.fromAsync(store.list({ trash: true }));
  const planAt = (nowMs: number): RetentionPlan => planRetention(policy, live, trash, sizes, nowMs);
  const nowMs = access.nowMs();
  const { trashed, removed } = planAt(nowMs);
  if (!dryRun) {
    if (options.force !== true) checkClock(nowMs, [...live, ...trash], planAt);
    // All at once, so that they share a transaction.
    await settledUnlessGone(trashed.map(({ id }) => store.delete(id)));
    await settledUnlessGone(removed.map(({ id }) => store.purge(id)));
  }
  return { dryRun, trashed, removed, bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** A conversation that was removed or restored meanwhile must not stop the others. */
async function settledUnlessGone(promises: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === "fulfilled") continue;
    const { reason } = result;
    const isGone = reason instanceof ColloquyError && ["NOT_FOUND", "CONFLICT"].includes(reason.code);
    if (!isGone) throw reason;
  }
}
