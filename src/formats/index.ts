export { redactSecrets } from "../secrets/redact-secrets.ts";
export {
  EXPORT_FORMATS,
  type Export,
  type ExportFormat,
  type ExportOptions,
  exportConversation,
} from "./export/index.ts";
export { type Fidelity, type OriginalSource, originalSources } from "./export/original/original.ts";
export {
  FORMAT_NAMES,
  type Forgotten,
  forgetSources,
  type Imported,
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
  importConversations,
  type Skipped,
  type UsualPlace,
  usualPlaces,
  type WatchOptions,
  watchConversations,
} from "./import/index.ts";
