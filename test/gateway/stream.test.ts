import { expect, it } from "vitest";
import { CHANGE_ROUTES } from "../../src/gateway/routes/changes.ts";
import { openStore } from "../../src/store/open.ts";

it("stops watching the token of a client that left before the first change", async () => {
  await using store = await openStore("ephemeral:");
  let watched = 0;
  const forget = (): void => void watched--;
  const onEnded = (): (() => void) => {
    watched++;
    return forget;
  };
  const request = { header: () => undefined, query: {}, principal: {}, signal: new AbortController().signal };
  const answer = await CHANGE_ROUTES[0]?.handle(request as never, { store, auth: { onEnded } } as never);
  const events = answer?.stream?.[Symbol.asyncIterator]();
  await events?.next();
  expect(watched).toBe(1);
  await events?.return?.();
  expect(watched).toBe(0);
});
