/** Downloads the files of an accepted message, and stores them behind it. */
import { ColloquyError } from "../../errors.ts";
import type { Block } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Job } from "../../store/jobs/jobs.ts";
import type { JsonObject } from "../../util/json.ts";
import type { Channel } from "../channel.ts";
import type { InboxData } from "./accept.ts";
import { fileBlock } from "./content.ts";

/**
 * The message is in the log, with the names of its files, before any is downloaded: a platform does not send it again.
 * They are a second message, in one write with the note that they are there. The caller holds the lease.
 */
export async function loadFiles(
  chat: Conversation,
  job: Job,
  entry: string,
  download: Channel["download"],
): Promise<void> {
  const { files = [] } = job.data as JsonObject & InboxData;
  if (files.length === 0) return;
  const content: Block[] = [];
  for (const file of files) content.push(await fileBlock(file, download));
  const { queue, id, at, data } = job;
  const provenance = (await chat.entry(entry))?.message?.provenance;
  try {
    await chat.append(
      { id: `${entry}+files`, role: "user", content, ...(provenance === undefined ? {} : { provenance }) },
      { operationId: `${entry}+files`, jobs: [{ queue, id, at, data: { ...data, files: [] } }] },
    );
  } catch (error) {
    // Stored before a kill, when a file could be downloaded that cannot be any more, or the other way round.
    const isThere = error instanceof ColloquyError && error.code === "CONFLICT";
    if (!isThere || error.field !== "operationId") throw error;
  }
}
