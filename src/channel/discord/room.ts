import type { Client, SendableChannels } from "discord.js";
import { ColloquyError } from "../../errors.ts";
import type { DeliveryAddress } from "../../key/index.ts";
import { discordFailure } from "./failure.ts";

/** A direct message is addressed to a user; ids of users and channels are never the same. */
export async function roomOf(
  client: Client<true>,
  { to, threadId }: DeliveryAddress,
): Promise<SendableChannels> {
  const room = client.channels.cache.get(threadId ?? to) ?? (await fetched(client, threadId, to));
  if (room === null || !room.isSendable())
    throw new ColloquyError("NOT_FOUND", "Discord no longer has the channel");
  return room;
}

async function fetched(
  client: Client<true>,
  threadId: string | undefined,
  to: string,
): ReturnType<Client["channels"]["fetch"]> {
  try {
    return await client.channels.fetch(threadId ?? to);
  } catch (error) {
    if (threadId !== undefined || discordFailure(error).code !== "NOT_FOUND") throw error;
    return client.users.createDM(to);
  }
}
