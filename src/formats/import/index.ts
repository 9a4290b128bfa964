export type { UsualPlace } from "../contract/format.ts";
export { FORMAT_NAMES } from "./detection/choose-format.ts";
export { type Forgotten, forgetSources } from "./forget.ts";
export type { Imported, ImportReport, Skipped } from "./report.ts";
export { type ImportOptions, type ImportProgress, importConversations } from "./run.ts";
export { usualPlaces } from "./usual-places.ts";
export { type WatchOptions, watchConversations } from "./watch.ts";
