/** Sealing: AES-256-GCM with a key that is kept elsewhere. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "../../../util/uuid.ts";
import type { Sealed } from "../types.ts";

export const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A key and its id. */
export interface SealKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * `bound` names the place of the value, such as `anthropic:default/apiKey`.
 * It is not stored: a sealed value that is copied to another profile cannot be
 * decrypted there. The agent is stored and authenticated; values from before
 * agents were part of the seal have none.
 */
export function seal(value: string, key: SealKey, bound: string, random: Random, agent?: string): Sealed {
  const iv = Buffer.alloc(IV_BYTES);
  random(iv);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, iv).setAAD(context(bound, agent));
  const data = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
  const value64 = { iv: iv.toString("base64"), data: data.toString("base64") };
  return { key: key.id, ...(agent === undefined ? {} : { agent }), ...value64 };
}

/** The value, or `undefined` when it was sealed with another key, for another place, or is damaged. */
export function unseal(sealed: Sealed, key: SealKey, bound: string): string | undefined {
  const iv = Buffer.from(sealed.iv, "base64");
  const data = Buffer.from(sealed.data, "base64");
  if (iv.length !== IV_BYTES || data.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.bytes, iv).setAAD(context(bound, sealed.agent));
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function context(bound: string, agent: string | undefined): Buffer {
  return Buffer.from(
    agent === undefined ? `colloquy sealed 1\n${bound}` : `colloquy sealed 2\n${agent}\n${bound}`,
  );
}
