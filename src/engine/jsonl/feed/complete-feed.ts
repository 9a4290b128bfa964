import type { JsonlContext } from "../jsonl-context.ts";
import { checkFeed } from "./feed-check.ts";
import { mendFeed } from "./feed-repair.ts";

/** Reading so many records at every opening would be noticed. */
const READ_MAX = 4096;

/** Add what a power cut of the disk removed from the feed. The machine need not have restarted. */
export async function completeFeed(
  context: JsonlContext,
  withLock: <T>(work: () => T) => Promise<T>,
): Promise<void> {
  const { isComplete, read, behind } = checkFeed(context);
  if (isComplete && read <= READ_MAX) return;
  await withLock(() => {
    if (!isComplete) mendFeed(context);
    for (const { stem } of behind) context.logs.count(stem);
  });
}
