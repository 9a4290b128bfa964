import { ColloquyError } from "../../errors.ts";
import { guardedFetch } from "../../util/guarded-fetch.ts";

const FILE_ROOTS = ["https://cdn.discordapp.com", "https://media.discordapp.net"];
const FILE_BYTES_MAX = 25 * 1024 * 1024;
const FILE_TIMEOUT_MS = 60_000;

/** Download an attachment, from servers of Discord only. */
export async function fileBytes(url: string, roots: readonly string[] = FILE_ROOTS): Promise<Uint8Array> {
  const root = roots.find((one) => new URL(one).origin === new URL(url).origin);
  if (root === undefined)
    throw new ColloquyError("FORBIDDEN", "The attachment is not on a server of Discord");
  const fetch = guardedFetch({ baseUrl: root, timeoutMs: FILE_TIMEOUT_MS, bytesMax: FILE_BYTES_MAX });
  const answer = await fetch(url);
  if (!answer.ok) throw new ColloquyError("NETWORK_ERROR", `Discord answered with ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}
