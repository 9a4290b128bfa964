/** `colloquy/client`: talks to a gateway, from a browser or from Node. */

export type * from "../wire/auth.ts";
export * from "../wire/frames.ts";
export type * from "../wire/rest.ts";
export {
  type ClientMethod,
  type ClientOptions,
  type ClientState,
  connectGateway,
  type GatewayClient,
} from "./connect.ts";
export { GatewayError } from "./gateway-error.ts";
export type { SubscribeOptions, TopicEvent, TopicListener } from "./subscriptions.ts";
