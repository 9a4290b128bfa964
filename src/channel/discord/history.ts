import type { Message, SendableChannels } from "discord.js";

const PAGE = 100;
/** More is not asked for in one place after a pause. */
const PAGES_MAX = 5;
const EPOCH_MS = 1_420_070_400_000;

/** What was written in a room since a time, oldest first. */
export async function* messagesSince(room: SendableChannels, since: string): AsyncGenerator<Message> {
  let after = idAt(Date.parse(since));
  for (let page = 0; page < PAGES_MAX; page++) {
    const found = await room.messages.fetch({ after, limit: PAGE, cache: false });
    const messages = [...found.values()].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    yield* messages;
    if (messages.length < PAGE) return;
    after = messages.at(-1)?.id ?? after;
  }
}

/** The first id of a time: ids of Discord begin with the time. */
function idAt(ms: number): string {
  return String(BigInt(Math.max(0, ms - EPOCH_MS)) << 22n);
}
