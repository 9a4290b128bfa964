import type { RoutingContext } from "./derive.ts";
import { cleanText } from "./text.ts";

/**
 * Where an answer goes, in the platform's own spelling.
 *
 * A key is normalised and forgets: case, spaces, the room of a thread. So the
 * address is taken from the message and stored beside the key.
 */
export interface DeliveryAddress {
  readonly channel: string;
  readonly to: string;
  readonly threadId?: string;
  readonly accountId?: string;
}

export interface DeliveryParams extends RoutingContext {
  /** Which of the owner's accounts on that platform. */
  readonly accountId?: string | undefined;
}

export function deliveryAddress(params: DeliveryParams): DeliveryAddress {
  const { to, threadId, accountId } = params;
  return {
    channel: cleanText(params.channel, "channel"),
    to: to === undefined || to === "" ? params.from : to,
    ...(threadId === undefined ? {} : { threadId }),
    ...(accountId === undefined ? {} : { accountId }),
  };
}
