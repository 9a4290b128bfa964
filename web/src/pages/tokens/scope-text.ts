import type { Scope } from "../../../../src/gateway/wire/auth.ts";

/** `only channels discord; keys cli:*`. */
export function scopeText({ channels = [], keys = [], conversations = [] }: Scope): string {
  const lists = { channels, keys, conversations };
  const parts = Object.entries(lists).filter(([, names]) => names.length > 0);
  return `only ${parts.map(([kind, names]) => `${kind} ${names.join(", ")}`).join("; ")}`;
}
