export { type FileIo, type FileLock, type FileStat, systemIo } from "./io.ts";
export {
  ConversationAlreadyExistsError,
  ConversationNotLoadedError,
  Transcript,
  type TranscriptDamage,
  type TranscriptMetadata,
  type TranscriptOptions,
} from "./transcript.ts";
