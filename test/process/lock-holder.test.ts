import { describe, expect, it } from "vitest";
import { Child, ENGINES, Folder, user } from "./child-process.ts";

/** Longer than a page, so that what a stopped writer leaves is really torn. */
const LONG = `held ${"x".repeat(10_000)}`;

/** Only Linux reports who has a lock. */
function nameOf(holder: Child): string {
  return process.platform === "linux" ? `process ${holder.pid}` : "another process";
}

describe.concurrent.each(ENGINES)("a %s writer that has the lock", (engine) => {
  it("is killed: the next writer continues, and the half-written append is gone", async () => {
    using folder = new Folder();
    await using holder = new Child();
    await using other = new Child();
    for (const child of [holder, other]) await child.do("open", folder.target(engine), {});
    await holder.do("append", "cli:x", user("first"));
    await other.do("append", "cli:x", user("second"));
    await holder.do("stopInNextWrite");
    const unanswered = holder.try("append", "cli:x", [user(LONG), user(LONG)]).catch(() => "died");
    await holder.stopped();
    await holder.kill();
    // A lock that was left would be waited for, in vain.
    await other.do("append", "cli:x", user("third"));
    expect(await unanswered).toBe("died");
    expect(await other.do("texts", "cli:x")).toEqual(["first", "second", "third"]);
    expect(await other.do("verify")).toEqual([]);
  });

  it("is suspended: others give up and name it, and both finish once it wakes up", async () => {
    using folder = new Folder();
    await using holder = new Child();
    await using other = new Child();
    await using reader = new Child();
    await using late = new Child();
    for (const child of [holder, other]) await child.do("open", folder.target(engine), {});
    await holder.do("append", "cli:x", user("first"));
    await holder.do("stopInNextWrite");
    const held = holder.do("append", "cli:x", [user(LONG), user("held too")]);
    await holder.stopped();

    const startMs = performance.now();
    const refused = await other.try("append", "cli:x", user("other"));
    const waitedMs = performance.now() - startMs;
    expect(refused).toMatchObject({ ok: false, error: { code: "SERVICE_UNAVAILABLE" } });
    expect(refused.ok ? "" : refused.error.message).toContain(nameOf(holder));
    // The wait itself is ten seconds; on a busy machine the answer comes later.
    expect(waitedMs).toBeGreaterThan(9000);

    // A process that comes only now gets the same answer.
    const opened = await late.try("open", folder.target(engine), { lockWaitMs: 300 });
    const refusedToo = opened.ok ? await late.try("append", "cli:x", user("late")) : opened;
    expect(refusedToo).toMatchObject({ ok: false, error: { code: "SERVICE_UNAVAILABLE" } });
    expect(refusedToo.ok ? "" : refusedToo.error.message).toContain(nameOf(holder));

    // Reading needs no lock and sees nothing of the half-written append.
    await reader.do("open", folder.target(engine), { readonly: true });
    expect(await reader.do("texts", "cli:x")).toEqual(["first"]);

    holder.signal("SIGCONT");
    expect(await held).toBe(2);
    await other.do("append", "cli:x", user("other"));
    expect(await other.do("texts", "cli:x")).toEqual(["first", LONG, "held too", "other"]);
    expect(await reader.do("texts", "cli:x")).toEqual(["first", LONG, "held too", "other"]);
    expect(await other.do("verify")).toEqual([]);
  });
});
