import { checkObject } from "../util/checked-arguments.ts";
import { defined } from "../util/json.ts";
import type { RoutingContext } from "./derive.ts";
import { cleanText } from "./text.ts";

/**
 * Where an answer is delivered, in the platform's own spelling.
 *
 * A key is normalised and loses case, spaces and the room of a thread, so the
 * address is taken from the message and stored beside the key.
 */
export interface DeliveryAddress {
  readonly channel: string;
  readonly to: string;
  readonly threadId?: string;
  readonly accountId?: string;
}

export interface DeliveryParams extends RoutingContext {
  /** The owner's account on that platform. */
  readonly accountId?: string | undefined;
}

export function deliveryAddress(params: DeliveryParams): DeliveryAddress {
  checkObject(params, "params");
  const { to, threadId, accountId } = params;
  return {
    channel: cleanText(params.channel, "channel"),
    to: to === undefined || to === "" ? params.from : to,
    ...defined({ threadId, accountId }),
  };
}
