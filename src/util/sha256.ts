import type { Hash } from "node:crypto";

/** Loaded on first use: a command that only reads starts a tenth faster without node:crypto. */
export function crypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** A SHA-256 to be fed piece by piece. */
export function sha256(): Hash {
  return crypto().createHash("sha256");
}

/** The SHA-256 of one value, as 64 hexadecimal digits. */
export function sha256Hex(value: string | NodeJS.ArrayBufferView): string {
  return crypto().hash("sha256", value);
}
