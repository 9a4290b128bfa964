import { checkObjects, checkString } from "../util/checked-arguments.ts";

/**
 * When two legacy keys become one, both conversations are kept.
 *
 * The one used last keeps the key. The others have the key followed by `~` and
 * their own id, which is the same in every process and is not changed by
 * normalisation.
 */

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const MARK = new RegExp(`~(${UUID}|x[0-9a-f]{16})$`, "i");
const WHOLE_UUID = new RegExp(`^${UUID}$`, "i");

export interface Claim {
  /** Normalised. */
  readonly key: string;
  readonly sessionId: string;
  readonly updatedAt: number;
}

/** A key without the mark of an older conversation, and the mark, or `""`. */
export function splitMark(key: string): readonly [string, string] {
  const found = MARK.exec(key);
  return found === null ? [key, ""] : [key.slice(0, found.index), found[0].toLowerCase()];
}

/** The key of a conversation whose own key belongs to a newer one. */
export function keyOfOlder(key: string, sessionId: string): string {
  checkString(key, "key");
  checkString(sessionId, "sessionId");
  const [plain] = splitMark(key);
  return `${plain}~${WHOLE_UUID.test(sessionId) ? sessionId.toLowerCase() : `x${hash(sessionId)}`}`;
}

/**
 * The key of a conversation that its user has left for a new one. The mark differs from that of `keyOfOlder`, because
 * these two do not belong together.
 */
export function keyOfLeft(key: string, sessionId: string): string {
  const [plain] = splitMark(key);
  return `${plain}~x${hash(sessionId)}`;
}

/** Whether the user has left the conversation with this key for a new one. */
export function wasLeft(key: string, sessionId: string): boolean {
  return WHOLE_UUID.test(sessionId) && splitMark(key)[1] === `~x${hash(sessionId)}`;
}

/**
 * The key of each conversation, in the order of the claims. Several claims of
 * one conversation on one key count as one.
 */
export function settleClaims(claims: readonly Claim[]): string[] {
  checkObjects(claims, "claims");
  const holders = new Map<string, Claim>();
  for (const claim of claims) {
    const holder = holders.get(claim.key);
    if (holder === undefined || isAhead(claim, holder)) holders.set(claim.key, claim);
  }
  return claims.map((claim) =>
    holders.get(claim.key)?.sessionId === claim.sessionId
      ? claim.key
      : keyOfOlder(claim.key, claim.sessionId),
  );
}

/** The later claim wins; a tie is broken by id, so that the order of claims does not matter. */
function isAhead(one: Claim, other: Claim): boolean {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt > other.updatedAt;
  return one.sessionId > other.sessionId;
}

/** 64-bit FNV-1a, which only has to distinguish the ids under one key. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  }
  return value.toString(16).padStart(16, "0");
}
