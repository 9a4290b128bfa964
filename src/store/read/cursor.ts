import { invalid } from "../../errors.ts";

/** Cursors are opaque to callers: base64 of a small JSON array whose first item names its purpose. */
export function encodeCursor(kind: string, ...values: (string | number)[]): string {
  return Buffer.from(JSON.stringify([kind, ...values])).toString("base64url");
}

export function decodeCursor(
  kind: string,
  cursor: unknown,
  types: readonly ("string" | "number")[],
  field = "cursor",
): unknown[] {
  if (typeof cursor === "string") {
    try {
      const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
      if (Array.isArray(value) && value.length === types.length + 1 && value[0] === kind) {
        const values = value.slice(1);
        if (values.every((item, index) => typeof item === types[index])) return values;
      }
    } catch {
      // Refused below.
    }
  }
  throw invalid("Invalid cursor: pass one that this store returned", field);
}
