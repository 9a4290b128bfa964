/**
 * The session keys of a copy. The source may be a store of an earlier version,
 * which kept keys as they were typed: in the copy they have their current form.
 */
import { activeAt, type ConversationInfo } from "../../engine/index.ts";
import { type Claim, settleClaims } from "../../key/index.ts";
import { timeOf } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";

/** The key of each conversation, by id. Where several keys become one, all conversations are kept. */
export async function keysInCopy(
  to: StoreAccess,
  trashed: readonly ConversationInfo[],
  live: readonly ConversationInfo[],
): Promise<ReadonlyMap<string, string | null>> {
  const current = ({ key }: ConversationInfo): string | null => to.keys.adopt(key) ?? key;
  const claims = live.flatMap((info): Claim[] => {
    const key = current(info);
    return key === null ? [] : [{ key, sessionId: info.id, updatedAt: timeOf(activeAt(info)) }];
  });
  const holders = await holdersOf(to, claims);
  const settled = settleClaims(
    // A copy that is continued keeps its keys, even if another of the conversations was used since.
    claims.map((claim) =>
      holders.has(claim.sessionId) ? { ...claim, updatedAt: Number.POSITIVE_INFINITY } : claim,
    ),
  );
  return new Map([
    ...trashed.map((info) => [info.id, current(info)] as const),
    ...claims.map(({ sessionId }, index) => [sessionId, settled[index] as string] as const),
  ]);
}

/** The conversations that have a key in the target which several claim. */
async function holdersOf(to: StoreAccess, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
  const holders = new Set<string>();
  for (const [key, { length }] of Map.groupBy(claims, (claim) => claim.key)) {
    const holder = length < 2 ? undefined : await to.ask((engine) => engine.byKey(key));
    if (holder !== undefined) holders.add(holder.id);
  }
  return holders;
}
