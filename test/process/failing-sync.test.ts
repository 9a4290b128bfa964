/** The disk fails on sync: strace lets every fsync of a running writer end with EIO. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { Child, ENGINES, Folder, has, lacks, user } from "./child-process.ts";

const STRACE = "strace";

/** Break every sync of a process until the returned function is called. */
async function breakSyncs(child: Child): Promise<() => Promise<void>> {
  const inject = "inject=fsync,fdatasync:error=EIO";
  const values = ["-f", "-p", String(child.pid), "-e", "trace=fsync,fdatasync", "-e", inject];
  const strace = spawn(STRACE, values, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(strace, "close");
  const attached = new Promise<void>((resolve, reject) => {
    let text = "";
    strace.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("attached")) resolve();
    });
    strace.on("close", () => reject(new Error(`strace: ${text}`)));
  });
  await attached;
  return async () => {
    strace.kill("SIGINT");
    await ended;
  };
}

describe.skipIf(lacks(has(STRACE), "a sync that fails needs strace"))("a sync that fails", () => {
  it.each(ENGINES)(
    "is never acknowledged by %s, which refuses to continue until it is reopened",
    async (engine) => {
      using folder = new Folder();
      await using child = new Child();
      await child.do("open", folder.target(engine), {});
      await child.do("append", "cli:x", user("first"));
      await child.do("append", "cli:x", user("second"));
      const mend = await breakSyncs(child);
      const failed = await child.try("append", "cli:x", [user("lost"), user("lost too")]);
      await mend();
      expect(failed).toMatchObject({ ok: false, error: { code: "SERVICE_UNAVAILABLE" } });

      // The disk works again, but the fate of the pages that could not be written is unknown.
      const refused = await child.try("append", "cli:x", user("refused"));
      expect(refused).toMatchObject({ ok: false, error: { code: "SERVICE_UNAVAILABLE" } });
      expect(refused.ok ? "" : refused.error.message).toMatch(/no more writes.*open it again/s);

      await child.do("close");
      await child.do("open", folder.target(engine), {});
      await child.do("append", "cli:x", user("third"));
      const texts = await child.do("texts", "cli:x");
      // What was refused may have reached the disk; whole or not at all, and never in place of anything else.
      expect([
        ["first", "second", "third"],
        ["first", "second", "lost", "lost too", "third"],
      ]).toContainEqual(texts);
      expect(await child.do("verify")).toEqual([]);
    },
  );
});
