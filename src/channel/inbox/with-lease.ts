import { ColloquyError } from "../../errors.ts";
import type { Conversation } from "../../store/conversation.ts";

/** Work while no other process runs the conversation. Returns `undefined`, and does nothing, if one does. */
export async function withLease<T>(chat: Conversation, work: () => Promise<T>): Promise<T | undefined> {
  const lease = await chat.lease().catch((error: unknown) => {
    if (isHeld(error)) return undefined;
    throw error;
  });
  if (lease === undefined) return undefined;
  // A send that hangs for longer than the lease may be repeated elsewhere, with the same nonce.
  const renewal = setInterval(() => lease.renew().catch(() => {}), lease.ttlMs / 3).unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await lease.release().catch(() => {});
  }
}

/** Whether another process has the lease. */
export function isHeld(error: unknown): boolean {
  return error instanceof ColloquyError && error.code === "CONFLICT" && error.field === "lease";
}
