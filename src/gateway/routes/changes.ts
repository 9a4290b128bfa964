import { setTimeout as wait } from "node:timers/promises";
import type { Change } from "../../store/index.ts";
import { decodeCursor } from "../../store/read/cursor.ts";
import { isUuid } from "../../util/uuid.ts";
import { isInScope } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import type { Scope } from "../wire/auth.ts";
import { defineRoute, type Route, type RouteRequest } from "./route.ts";
import { CURSOR } from "./schemas.ts";

const BEAT_MS = 20_000;
const RETRY_MS = 1000;

export const CHANGE_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/api/v1/changes",
    permission: "read",
    scoped: "filters",
    summary: "Everything that is committed, as server-sent events; the id of an event is a cursor",
    headers: { "Last-Event-ID": "The cursor of the last event that was seen, as browsers send it" },
    query: { type: "object", properties: { since: CURSOR } },
    answer: "text/event-stream",
    handle: async (request, gateway) => {
      const since =
        request.header("last-event-id") || request.query.since || (await gateway.store.lastChange());
      // A wrong cursor is an error, not an empty stream.
      decodeCursor("f", since, ["number", "number"], "since");
      // Whether there is a place, while the answer can still be an error. A stream that is never read takes none.
      gateway.auth.enter(request.principal)();
      return { stream: events(request, gateway, since) };
    },
  }),
];

async function* events(
  request: RouteRequest<unknown, unknown>,
  gateway: GatewayContext,
  since: string,
): AsyncGenerator<string> {
  const { principal } = request;
  const leave = gateway.auth.enter(principal);
  const ended = new AbortController();
  const stopWatching = gateway.auth.onEnded(principal, () => ended.abort());
  const signal = AbortSignal.any([request.signal, ended.signal]);
  try {
    // The cursor at once: a client that is cut off before the first event misses nothing.
    yield `retry: ${RETRY_MS}\nid: ${since}\nevent: ready\ndata: {}\n\n`;
    for await (const change of withBeats(gateway.store.changes({ since, signal }))) {
      if (change === undefined) yield ":\n\n";
      else if (await isVisible(gateway, change, principal.scope)) yield eventText(change);
    }
  } finally {
    leave();
    stopWatching();
    ended.abort();
  }
}

/** The changes, and `undefined` while there are none, so that proxies keep the connection. */
async function* withBeats(changes: AsyncGenerator<Change>): AsyncGenerator<Change | undefined> {
  for (let next = changes.next(); ; ) {
    const timer = new AbortController();
    const beat = wait(BEAT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    const result = await Promise.race([next, beat]);
    timer.abort();
    if (result?.done === true) return;
    yield result?.value;
    if (result !== undefined) next = changes.next();
  }
}

async function isVisible({ store }: GatewayContext, change: Change, scope: Scope | null): Promise<boolean> {
  if (scope === null) return true;
  const { conversation: id } = change;
  const info = isUuid(id) ? await store.info(id) : undefined;
  // Of a conversation that is gone, only the id is known.
  return isInScope(scope, info ?? { id, key: null, channel: null });
}

function eventText({ cursor, ...change }: Change): string {
  return `id: ${cursor}\nevent: ${change.type}\ndata: ${JSON.stringify(change)}\n\n`;
}
