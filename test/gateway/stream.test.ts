import { expect, it } from "vitest";
import { CHANGE_ROUTES } from "../../src/gateway/routes/changes.ts";
import { openStore } from "../../src/store/open.ts";

it("stops watching the token of a client that left before the first change, and frees its place", async () => {
  await using store = await openStore("ephemeral:");
  let held = 0;
  const free = (): void => void held--;
  const hold = (): (() => void) => {
    held++;
    return free;
  };
  const request = { header: () => undefined, query: {}, principal: {}, signal: new AbortController().signal };
  const answer = await CHANGE_ROUTES[0]?.handle(
    request as never,
    { store, auth: { onEnded: hold, enter: hold } } as never,
  );
  const events = answer?.stream?.[Symbol.asyncIterator]();
  await events?.next();
  expect(held).toBe(2);
  await events?.return?.();
  expect(held).toBe(0);
});
