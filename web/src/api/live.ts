/** The connection that brings events: one for the whole page, from signing in to signing out. */
import {
  type ClientMethod,
  type ClientState,
  connectGateway,
  type GatewayClient,
  type Methods,
  type TopicListener,
} from "../../../src/gateway/client/index.ts";
import { Cell } from "../state/cell.ts";
import { api } from "./api.ts";
import { session } from "./session.ts";

export const connection = new Cell<ClientState>("connecting");

let client: GatewayClient | undefined;

/** A ticket opens one connection; the token stays in a cookie that scripts cannot read. */
function opened(): GatewayClient {
  if (client) return client;
  client = connectGateway({
    url: location.origin,
    ticket: async () => (await api<{ readonly ticket: string }>("POST", "/auth/ticket")).ticket,
  });
  client.onState((state) => connection.set(state));
  return client;
}

session.watch(() => {
  if (session.value?.signedIn) return;
  client?.close();
  client = undefined;
});

export function ask<Name extends ClientMethod>(
  method: Name,
  params: Methods[Name]["params"],
): Promise<Methods[Name]["result"]> {
  return opened().request(method, params);
}

/** Until the returned function is called. */
export function listen(topic: string, listener: TopicListener): () => void {
  return opened().subscribe(topic, listener);
}
