/** Parts of schemas that methods share. */
export const REFERENCE = { type: "string", minLength: 1, maxLength: 1024 } as const;
export const ENTRY = { type: "string", minLength: 1, maxLength: 256 } as const;
export const RUN = { type: "string", minLength: 1, maxLength: 256 } as const;
export const IDEMPOTENCY_KEY = { type: "string", minLength: 1, maxLength: 200 } as const;
export const MODEL = { type: "string", minLength: 1, maxLength: 256 } as const;
/** A frame is at most 1 MiB. */
export const TEXT = { type: "string", maxLength: 1_000_000 } as const;
export const EXPECTED_HEAD = {
  anyOf: [{ type: "null" }, { type: "string", minLength: 1, maxLength: 256 }],
} as const;
