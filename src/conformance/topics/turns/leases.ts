import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ColloquyError } from "../../../errors.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { Child, type LeaseTask, SHARED_KEY } from "../../child-process.ts";
import { allMessages, type Bench, refuses, say, type Topic, texts } from "../../kit.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Longer than any wait: only the end of its process frees such a lease. */
const LONG_TTL_MS = 10 * MINUTE_MS;

async function fresh(bench: Bench): Promise<Conversation> {
  const store = await bench.open({ durability: "process" });
  return store.open(SHARED_KEY);
}

function holder(bench: Bench, task: Partial<LeaseTask> = {}): Child<LeaseTask> {
  return new Child(bench, { task: "lease", writer: "child", ttlMs: LONG_TTL_MS, waitMs: 0, ...task });
}

/** Wait until N are in the queue, including the holder. */
async function inLine(chat: Conversation, count: number): Promise<void> {
  let ahead: unknown;
  for (const deadline = performance.now() + MINUTE_MS; performance.now() < deadline; ) {
    const error = await chat.lease().then(
      (lease) => assert.fail(`The lease was free and acquired with epoch ${lease.epoch}`),
      (reason: ColloquyError) => reason,
    );
    ahead = error.details?.ahead;
    if (ahead === count) return;
    await sleep(5);
  }
  assert.fail(`${ahead} are waiting instead of ${count}`);
}

export const leases: Topic = (check) => {
  check("a lease keeps others out until it is released", async (bench) => {
    const chat = await fresh(bench);
    const first = await chat.lease();
    assert.ok(Date.parse(first.expiresAt) > Date.now());
    const error = await refuses("CONFLICT", chat.lease());
    assert.equal(error.field, "lease");
    await chat.append(say("with it"), { lease: first });
    await first.release();
    const second = await chat.lease();
    assert.ok(second.epoch > first.epoch);
    await refuses("CONFLICT", chat.append(say("too late"), { lease: first }));
    await refuses("CONFLICT", first.renew());
    await first.release();
    await chat.append(say("with the next"), { lease: second });
    assert.deepEqual(texts(await allMessages(chat)), ["with it", "with the next"]);
  });

  check("an append without a lease is not blocked", async (bench) => {
    const chat = await fresh(bench);
    await using _lease = await chat.lease();
    await chat.append(say("a channel's message"));
    assert.equal((await chat.info()).messageCount, 1);
  });

  check("leases of different conversations are independent", async (bench) => {
    const store = await bench.open();
    const [one, two] = [await store.create(), await store.create()];
    const lease = await one.lease();
    await using _other = await two.lease();
    await refuses("VALIDATION_ERROR", two.append(say("x"), { lease }));
    await refuses("VALIDATION_ERROR", two.append(say("x"), { lease: {} as typeof lease }));
  });

  check("a lease expires if it is not renewed", async (bench) => {
    const chat = await fresh(bench);
    const first = await chat.lease({ ttlMs: 1 });
    await sleep(5);
    await chat.append(say("not taken yet"), { lease: first });
    await first.renew();
    const second = await chat.lease({ waitMs: MINUTE_MS });
    await refuses("CONFLICT", chat.append(say("too late"), { lease: first }));
    await refuses("CONFLICT", first.renew());
    await chat.append(say("in time"), { lease: second });
    assert.deepEqual(texts(await allMessages(chat)), ["not taken yet", "in time"]);
  });

  check("setting the clock neither ends a lease nor extends one", async (bench) => {
    const clock = { nowMs: Date.now() };
    const store = await bench.open({ durability: "process", clock: () => clock.nowMs });
    const chat = await store.create();
    const lease = await chat.lease();
    for (const jumpMs of [DAY_MS, 400 * DAY_MS, -500 * DAY_MS]) {
      clock.nowMs += jumpMs;
      const { details } = await refuses("CONFLICT", chat.lease());
      const leftMs = Date.parse(String(details?.expiresAt)) - clock.nowMs;
      assert.ok(leftMs > 0 && leftMs <= lease.ttlMs, `${leftMs} ms are left`);
      await lease.renew();
    }
    await lease.release();
    clock.nowMs += 400 * DAY_MS;
    const short = await chat.lease({ ttlMs: 1 });
    clock.nowMs -= 400 * DAY_MS;
    const next = await chat.lease({ waitMs: MINUTE_MS });
    await refuses("CONFLICT", chat.append(say("too late"), { lease: short }));
    await next.release();
  });

  check("waiters are served first in, first out", async (bench) => {
    const chat = await fresh(bench);
    const first = await chat.lease();
    const order: number[] = [];
    const waiting = [];
    for (const n of [1, 2, 3, 4]) {
      const served = chat.lease({ waitMs: MINUTE_MS }).then(async (lease) => {
        order.push(n);
        await lease.release();
      });
      waiting.push(served);
      await inLine(chat, n + 1);
    }
    await first.release();
    // Free for a moment, but not for a caller that did not wait.
    await refuses("CONFLICT", chat.lease());
    await Promise.all(waiting);
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  check("a waiter that gives up does not delay others", async (bench) => {
    const chat = await fresh(bench);
    const first = await chat.lease();
    await refuses("CONFLICT", chat.lease({ waitMs: 50 }));
    await first.release();
    await using _next = await chat.lease();
  });

  for (const [what, options] of [
    ["a ttl of zero", { ttlMs: 0 }],
    ["an invalid ttl", { ttlMs: Number.NaN }],
    ["a negative wait", { waitMs: -1 }],
    ["a misspelt option", { ttl: 5 }],
  ] as const) {
    check(`${what} is refused`, async (bench) => {
      await refuses("VALIDATION_ERROR", (await fresh(bench)).lease(options as object));
    });
  }

  check("a deleted conversation cannot be leased", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const lease = await chat.lease();
    await store.delete(chat.id);
    await refuses("NOT_FOUND", chat.lease());
    await refuses("NOT_FOUND", chat.append(say("x"), { lease }));
  });

  check.persistent(
    "a lease holds across processes, and is free soon after its holder is killed",
    async (bench) => {
      await using child = holder(bench);
      await child.heard("lease");
      const chat = await fresh(bench);
      await refuses("CONFLICT", chat.lease());
      await refuses("CONFLICT", chat.lease({ waitMs: 200 }));
      const waiting = chat.lease({ waitMs: MINUTE_MS });
      await child.kill();
      const lease = await waiting;
      assert.ok(lease.epoch > Number(child.said("lease")[0]));
    },
  );

  check.persistent("closing a store frees its leases at once", async (bench) => {
    const store = await bench.open();
    await (await store.open(SHARED_KEY)).lease({ ttlMs: LONG_TTL_MS });
    await store.close();
    await using _lease = await (await fresh(bench)).lease({ waitMs: MINUTE_MS });
  });

  check.persistent("a holder that resumes after its lease expired cannot write", async (bench) => {
    await using child = holder(bench, { ttlMs: 300 });
    await child.heard("lease");
    child.process.kill("SIGSTOP");
    const chat = await fresh(bench);
    const lease = await chat.lease({ waitMs: MINUTE_MS });
    assert.ok(lease.epoch > Number(child.said("lease")[0]));
    await chat.append(say("taken over"), { lease });
    child.process.kill("SIGCONT");
    child.tell("append");
    await child.heard("refused");
    assert.deepEqual([child.said("refused"), child.said("done")], [["CONFLICT"], []]);
    child.tell("release");
    await child.heard("done");
    await chat.append(say("still mine"), { lease });
    assert.deepEqual(texts(await allMessages(chat)), ["taken over", "still mine"]);
  });

  check.persistent("a process whose clock is wrong does not take a live lease", async (bench) => {
    const chat = await fresh(bench);
    const lease = await chat.lease({ ttlMs: LONG_TTL_MS });
    for (const aheadMs of [DAY_MS, -DAY_MS, 400 * DAY_MS]) {
      await using child = holder(bench, { aheadMs });
      await child.ended();
      assert.deepEqual([child.said("refused"), child.said("lease")], [["CONFLICT"], []]);
    }
    await chat.append(say("still mine"), { lease });
  });

  check.persistent("a holder whose clock is far ahead does not keep a lease that expired", async (bench) => {
    await using child = holder(bench, { ttlMs: 300, aheadMs: 400 * DAY_MS });
    await child.heard("lease");
    child.process.kill("SIGSTOP");
    const chat = await fresh(bench);
    const lease = await chat.lease({ waitMs: MINUTE_MS });
    child.process.kill("SIGCONT");
    child.tell("append");
    await child.heard("refused");
    assert.deepEqual(child.said("refused"), ["CONFLICT"]);
    await chat.append(say("taken over"), { lease });
    assert.deepEqual(texts(await allMessages(chat)), ["taken over"]);
  });

  check.persistent("waiting processes are served first in, first out", async (bench) => {
    const chat = await fresh(bench);
    const lease = await chat.lease({ ttlMs: LONG_TTL_MS });
    const names = ["one", "two", "three"];
    await using children = new AsyncDisposableStack();
    const waiting: Child[] = [];
    for (const [index, writer] of names.entries()) {
      const child = children.use(holder(bench, { writer, waitMs: MINUTE_MS }));
      child.tell("append", "release");
      waiting.push(child);
      await inLine(chat, index + 2);
    }
    await lease.release();
    await Promise.all(waiting.map((child) => child.heard("done", 2)));
    assert.deepEqual(texts(await allMessages(chat)), names);
  });

  check.persistent("a waiter that is killed does not delay others", async (bench) => {
    const chat = await fresh(bench);
    const lease = await chat.lease({ ttlMs: LONG_TTL_MS });
    await using child = holder(bench, { waitMs: MINUTE_MS });
    await inLine(chat, 2);
    await child.kill();
    await lease.release();
    await using _next = await chat.lease({ waitMs: MINUTE_MS });
  });
};
