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
/** Why there are no events of a topic, by its name. It is asked for again until there are. */
export const refused = new Cell<ReadonlyMap<string, string>>(new Map());

const ASK_AGAIN_MS = 5000;

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
  let again: ReturnType<typeof setTimeout> | undefined;
  const open = (): (() => void) =>
    opened().subscribe(topic, (event) => {
      if (event.event === "subscribed") setRefused(topic, undefined);
      // A conversation that does not exist is reported where it is shown.
      else if (event.event === "refused" && event.data.code !== "NOT_FOUND") {
        setRefused(topic, event.data.message);
        clearTimeout(again);
        again = setTimeout(() => {
          stop();
          stop = open();
        }, ASK_AGAIN_MS);
      }
      listener(event);
    });
  let stop = open();
  return () => {
    clearTimeout(again);
    setRefused(topic, undefined);
    stop();
  };
}

function setRefused(topic: string, reason: string | undefined): void {
  if (refused.value.get(topic) === reason) return;
  const others = [...refused.value].filter(([name]) => name !== topic);
  refused.set(new Map(reason === undefined ? others : [...others, [topic, reason]]));
}
