export type { BuildProgress } from "./catch-up.ts";
export { fieldTexts, OUTPUT_CHARS_MAX } from "./fields.ts";
export type { DocumentRow, IndexedConversation } from "./index-file.ts";
export type { SemanticModel, SemanticOptions } from "./message-vectors.ts";
export type { RankedMessage } from "./rank.ts";
export { FIELDS, type Field } from "./schema.ts";
export { SearchIndex } from "./search-index.ts";
export type { SearchSource } from "./source.ts";
