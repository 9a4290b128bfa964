export { ConversationAlreadyExistsError, ConversationNotLoadedError } from "./conversation-errors.ts";
export { type FileIo, type FileLock, type FileStat, type Presence, systemIo } from "./io.ts";
export {
  Transcript,
  type TranscriptDamage,
  type TranscriptMetadata,
  type TranscriptOptions,
} from "./transcript.ts";
