/** The keys that sign access tokens. Made on the first start; a new one signs at once, the former ones verify for a while. */
import { ColloquyError } from "../../../errors.ts";
import type { Random } from "../../../util/uuid.ts";
import { note } from "./audit.ts";
import type { Keeper, Records } from "./records.ts";

export interface SigningKey {
  readonly id: string;
  readonly secret: Uint8Array;
  /** Until then it verifies. */
  readonly retiresAt: number;
}

const KEY_BYTES = 32;
const DISTINCT_MIN = 12;

/** The key that signs now. */
export function currentKey(records: Records, random: Random, nowMs: number): SigningKey {
  const find = (): SigningKey | undefined =>
    keyIn(records.get("SELECT * FROM keys WHERE retires_at IS NULL ORDER BY created_at DESC LIMIT 1"));
  return find() ?? records.write(() => find() ?? addKey(records, random, nowMs));
}

/** A key that verifies: the current one, or one that has not retired. */
export function verifyingKey(records: Records, id: string, nowMs: number): SigningKey | undefined {
  const sql = "SELECT * FROM keys WHERE id = ? AND (retires_at IS NULL OR retires_at > ?)";
  return keyIn(records.get(sql, id, nowMs));
}

/** Sign with a new key. Tokens of the former keys are accepted for `overlapMs`. Returns the id of the new key. */
export function rotateKeys({ records, random, clock }: Keeper, overlapMs: number): string {
  const now = clock();
  return records.write(() => {
    records.run("DELETE FROM keys WHERE retires_at <= ?", now);
    records.run("UPDATE keys SET retires_at = min(coalesce(retires_at, ?1), ?1)", now + overlapMs);
    const { id } = addKey(records, random, now);
    note(records, now, "keys-rotated", { details: id });
    return id;
  });
}

function addKey(records: Records, random: Random, nowMs: number): SigningKey {
  const id = randomBytes(random, 8).toString("hex");
  const secret = randomBytes(random, KEY_BYTES);
  records.run(
    "INSERT INTO keys (id, secret, created_at) VALUES (?, ?, ?)",
    id,
    secret.toString("base64url"),
    nowMs,
  );
  return { id, secret, retiresAt: Number.POSITIVE_INFINITY };
}

function randomBytes(random: Random, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  random(bytes);
  return bytes;
}

function keyIn(row: Readonly<Record<string, unknown>> | undefined): SigningKey | undefined {
  if (row === undefined) return undefined;
  const secret = Buffer.from(String(row.secret), "base64url");
  // A file that was copied from an example or edited by hand would let anyone sign.
  if (secret.length < KEY_BYTES || new Set(secret).size < DISTINCT_MIN) {
    throw new ColloquyError(
      "SERVICE_UNAVAILABLE",
      "A signing key of the gateway is too short or not random. Make a new one: colloquy token rotate-keys --now",
    );
  }
  const retiresAt = row.retires_at === null ? Number.POSITIVE_INFINITY : Number(row.retires_at);
  return { id: String(row.id), secret, retiresAt };
}
