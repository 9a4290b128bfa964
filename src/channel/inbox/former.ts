import type { Store } from "../../store/store.ts";
import type { ChannelMessage } from "../channel.ts";
import { type ChannelName, operationIdOf } from "./accept.ts";

/** Sessions that start over again and again before a message is repeated are not expected. */
const FORMER_MAX = 5;

/** Whether a message was accepted before its session started over: the new conversation must not answer it again. */
export async function isInFormer(
  store: Store,
  key: string,
  channel: ChannelName,
  message: ChannelMessage,
): Promise<boolean> {
  const id = operationIdOf(channel, message.id);
  const keyPrefix = `${store.resolveKey(key)}~`;
  for (const former of (await store.list({ keyPrefix, limit: FORMER_MAX })).items) {
    const chat = await store.get(former.id);
    if ((await chat?.entry(id)) !== undefined) return true;
  }
  return false;
}
