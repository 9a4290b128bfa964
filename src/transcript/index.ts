export { type FileIo, type FileLock, type FileStat, type Presence, systemIo } from "../disk/file-io.ts";
export { ConversationAlreadyExistsError, ConversationNotLoadedError } from "./conversation-errors.ts";
export { Transcript, type TranscriptMetadata } from "./transcript.ts";
export type { TranscriptDamage, TranscriptOptions } from "./transcript-files.ts";
