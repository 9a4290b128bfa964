import { describe, expect, it } from "vitest";
import { checkEpoch, decideLease, type LeaseState, NO_LEASE, WAITER_TTL_MS } from "./leases.ts";
import type { LeaseGrant, LeaseOperation } from "./operations.ts";

const TTL_MS = 30_000;
const LOST = expect.objectContaining({ code: "CONFLICT", field: "lease" });

/** One conversation, a clock that is set by hand, and processes that die when they are told to. */
class Desk {
  state: LeaseState = NO_LEASE;
  nowMs = 1_000_000;
  readonly dead = new Set<string>();

  /** A token is its process here, unless it says otherwise as in `a@p1`. */
  #ask(action: LeaseOperation["action"], token: string, wait: boolean): LeaseGrant {
    const operation: LeaseOperation = {
      type: "lease",
      conversation: "c",
      ttlMs: TTL_MS,
      action,
      token,
      wait,
    };
    const decided = decideLease(this.state, operation, {
      id: token.split("@").at(-1) as string,
      nowMs: () => this.nowMs,
      isAlive: (process) => !this.dead.has(process),
    });
    this.state = decided.state;
    return decided.lease;
  }

  take(token: string): LeaseGrant {
    return this.#ask("acquire", token, false);
  }

  wait(token: string): LeaseGrant {
    return this.#ask("acquire", token, true);
  }

  renew(token: string): LeaseGrant {
    return this.#ask("renew", token, false);
  }

  release(token: string): LeaseGrant {
    return this.#ask("release", token, false);
  }

  mayWrite(epoch: number): boolean {
    try {
      checkEpoch("c", this.state, epoch);
      return true;
    } catch (error) {
      expect(error).toEqual(LOST);
      return false;
    }
  }
}

describe("a lease", () => {
  it("is granted to the first caller, with a number and an expiry", () => {
    const desk = new Desk();
    expect(desk.take("a")).toEqual({ granted: true, epoch: 1, leftMs: TTL_MS, ahead: 0 });
    expect(desk.take("b")).toMatchObject({ granted: false, ahead: 1 });
    expect(desk.mayWrite(1)).toBe(true);
  });

  it("stays the same when its holder asks again", () => {
    const desk = new Desk();
    desk.take("a");
    desk.nowMs += 1000;
    expect(desk.take("a")).toEqual({ granted: true, epoch: 1, leftMs: TTL_MS, ahead: 0 });
  });

  it("lasts as long as it is renewed", () => {
    const desk = new Desk();
    desk.take("a");
    for (let round = 0; round < 5; round++) {
      desk.nowMs += TTL_MS - 1;
      expect(desk.renew("a")).toMatchObject({ granted: true, epoch: 1 });
    }
    expect(desk.take("b").granted).toBe(false);
  });

  it("can be renewed late as long as no other caller has acquired it", () => {
    const desk = new Desk();
    desk.take("a");
    desk.nowMs += TTL_MS * 3;
    expect(desk.mayWrite(1)).toBe(true);
    expect(desk.renew("a")).toMatchObject({ granted: true, epoch: 1, leftMs: TTL_MS });
    expect(desk.take("b").granted).toBe(false);
  });

  it("goes to another with the next number when it expires, and the first can no longer write", () => {
    const desk = new Desk();
    desk.take("a");
    desk.nowMs += TTL_MS - 1;
    expect(desk.take("b").granted).toBe(false);
    desk.nowMs += 1;
    expect(desk.take("b")).toMatchObject({ granted: true, epoch: 2 });
    expect([desk.mayWrite(1), desk.mayWrite(2)]).toEqual([false, true]);
    expect(() => desk.renew("a")).toThrow(LOST);
  });

  it("is free at once when the process of its holder has died", () => {
    const desk = new Desk();
    desk.take("a@p1");
    desk.dead.add("p1");
    expect(desk.take("b@p2")).toMatchObject({ granted: true, epoch: 2 });
    expect(desk.mayWrite(1)).toBe(false);
  });

  it("is free after its release, and its number is no longer valid", () => {
    const desk = new Desk();
    desk.take("a");
    desk.release("a");
    expect(desk.mayWrite(1)).toBe(false);
    expect(() => desk.renew("a")).toThrow(LOST);
    expect(desk.take("a")).toMatchObject({ granted: true, epoch: 2 });
  });

  it("cannot be released by another caller", () => {
    const desk = new Desk();
    desk.take("a");
    desk.release("b");
    expect(desk.mayWrite(1)).toBe(true);
    desk.nowMs += TTL_MS;
    desk.take("b");
    desk.release("a");
    expect(desk.mayWrite(2)).toBe(true);
  });

  it("cannot be renewed by a caller that never held it", () => {
    const desk = new Desk();
    expect(() => desk.renew("a")).toThrow(LOST);
    expect(desk.mayWrite(0)).toBe(false);
  });
});

describe("waiters", () => {
  it("are served first in, first out, however often the later ones ask", () => {
    const desk = new Desk();
    desk.take("a");
    expect([desk.wait("b").ahead, desk.wait("c").ahead, desk.wait("d").ahead]).toEqual([1, 2, 3]);
    desk.release("a");
    expect(desk.wait("d")).toMatchObject({ granted: false, ahead: 2 });
    expect(desk.wait("c")).toMatchObject({ granted: false, ahead: 1 });
    expect(desk.wait("b")).toMatchObject({ granted: true, epoch: 2 });
    desk.release("b");
    expect(desk.wait("d").granted).toBe(false);
    expect(desk.wait("c")).toMatchObject({ granted: true, epoch: 3 });
    expect(desk.wait("d")).toMatchObject({ granted: false, ahead: 1 });
  });

  it("come before a caller that does not wait", () => {
    const desk = new Desk();
    desk.take("a");
    desk.wait("b");
    desk.release("a");
    expect(desk.take("c")).toMatchObject({ granted: false, ahead: 1 });
    expect(desk.wait("b").granted).toBe(true);
  });

  it("do not block others when their process has died", () => {
    const desk = new Desk();
    desk.take("a");
    desk.wait("b@p2");
    desk.wait("c");
    desk.dead.add("p2");
    expect(desk.wait("c").ahead).toBe(1);
    desk.release("a");
    expect(desk.wait("c").granted).toBe(true);
  });

  it("do not block others when they have stopped asking", () => {
    const desk = new Desk();
    desk.take("a");
    desk.wait("b");
    desk.release("a");
    desk.nowMs += WAITER_TTL_MS - 1;
    expect(desk.wait("c").granted).toBe(false);
    desk.nowMs += 1;
    expect(desk.wait("c").granted).toBe(true);
  });

  it("keep their place when they ask late and no other has passed them", () => {
    const desk = new Desk();
    desk.take("a");
    desk.wait("b");
    desk.nowMs += WAITER_TTL_MS + 1;
    expect(desk.wait("b").ahead).toBe(1);
    expect(desk.wait("c").ahead).toBe(2);
  });

  it("leave the queue when they give up, by a release or by a call without waiting", () => {
    const desk = new Desk();
    desk.take("a");
    desk.wait("b");
    desk.wait("c");
    desk.release("b");
    desk.take("c");
    desk.release("a");
    expect(desk.take("d").granted).toBe(true);
  });

  it("are next when the holder dies", () => {
    const desk = new Desk();
    desk.take("a@p1");
    desk.wait("b");
    desk.wait("c");
    desk.dead.add("p1");
    expect(desk.wait("c")).toMatchObject({ granted: false, ahead: 1 });
    expect(desk.wait("b").granted).toBe(true);
  });
});
