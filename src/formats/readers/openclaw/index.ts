/** OpenClaw: the index of its files, and its database. Its transcripts are read by `openclawTranscript`. */
import type { DatabaseFormat, DocumentFormat } from "../../contract/reader.ts";
import { isOpenclawDatabase, readOpenclaw } from "./database.ts";
import { isOpenclawIndex } from "./keys.ts";

export { openclawKeys } from "./keys.ts";
export { isOpenclawCopy, isOpenclawPath } from "./surroundings.ts";

/** Holds no messages: what it says about transcripts is applied where those are read. */
export const openclawIndex: DocumentFormat = {
  kind: "document",
  name: "openclaw",
  sniff: isOpenclawIndex,
  read: () => {},
};

export const openclawDatabase: DatabaseFormat = {
  kind: "database",
  name: "openclaw",
  sniff: isOpenclawDatabase,
  read: readOpenclaw,
};
