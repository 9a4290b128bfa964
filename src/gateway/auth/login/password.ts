/** Passwords, with argon2id. Two hashes at a time need 128 MiB; the others wait, and a long queue is refused. */
import type { ColloquyError } from "../../../errors.ts";
import { unavailable } from "../../../errors.ts";
import { crypto } from "../../../util/sha256.ts";
import type { Random } from "../../../util/uuid.ts";
import type { Records } from "../records/records.ts";

const MEMORY_KIB = 65_536;
const PASSES = 3;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const AT_ONCE_MAX = 2;
const WAITING_MAX = 64;

let running = 0;
const waiting: (() => void)[] = [];

/** What is to be stored of the password of the config: what is stored already, if it is the same. */
export async function passwordValue(records: Records, random: Random, password: string): Promise<string> {
  const known = stored(records);
  const salt = known?.salt ?? newSalt(random);
  const hash = await hashed(password, salt);
  if (known !== undefined && crypto().timingSafeEqual(known.hash, hash)) return known.value;
  return JSON.stringify({ salt: salt.toString("base64url"), hash: hash.toString("base64url") });
}

/** Whether it takes the place of another one. `null` is none. */
export function keepPassword(records: Records, value: string | null): boolean {
  const former = stored(records)?.value;
  if (former === (value ?? undefined)) return false;
  if (value === null) records.run("DELETE FROM settings WHERE name = 'password'");
  else records.run("INSERT OR REPLACE INTO settings (name, value) VALUES ('password', ?)", value);
  return former !== undefined;
}

/** What is stored of the password, if it is right. The time does not depend on how much of it is right. */
export async function rightPassword(records: Records, password: string): Promise<string | undefined> {
  const known = stored(records);
  if (known === undefined) return undefined;
  const isRight = crypto().timingSafeEqual(known.hash, await hashed(password, known.salt));
  return isRight ? known.value : undefined;
}

interface StoredPassword {
  readonly value: string;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

function stored(records: Records): StoredPassword | undefined {
  const row = records.get("SELECT value FROM settings WHERE name = 'password'");
  if (row === undefined) return undefined;
  const value = String(row.value);
  const { salt, hash } = JSON.parse(value) as { salt: string; hash: string };
  return { value, salt: Buffer.from(salt, "base64url"), hash: Buffer.from(hash, "base64url") };
}

function newSalt(random: Random): Buffer {
  const salt = Buffer.alloc(SALT_BYTES);
  random(salt);
  return salt;
}

async function hashed(password: string, salt: Buffer): Promise<Buffer> {
  if (running >= AT_ONCE_MAX) {
    if (waiting.length >= WAITING_MAX) throw tooMany();
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await argon2id(password, salt);
  } finally {
    // The place goes to the next one, or becomes free.
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

function argon2id(message: string, nonce: Buffer): Promise<Buffer> {
  const cost = { parallelism: 1, tagLength: HASH_BYTES, memory: MEMORY_KIB, passes: PASSES };
  return new Promise((resolve, reject) => {
    crypto().argon2("argon2id", { message, nonce, ...cost }, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

function tooMany(): ColloquyError {
  return unavailable("Too many logins at once. Try again in a moment");
}
