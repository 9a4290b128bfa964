import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { Place, type Printed } from "./run-command.ts";

const RECEIPT_MEMBERS = ["id", "at", "entries", "blobs", "bytes", "copies"];
const DAY_MS = 86_400_000;

for (const engine of ["sqlite", "jsonl"] as const) {
  describe(`erasing on ${engine}`, () => {
    const place = new Place();
    const target = `${engine}:${place.path(engine === "sqlite" ? "agent.db" : "chats")}`;
    const sessions = (...args: string[]): string[] => ["sessions", ...args, "--store", target];
    const ids = new Map<string, string>();
    const keys = async (...args: string[]): Promise<string[]> =>
      (await place.json(sessions("list", ...args))).items.map((info: Printed) => info.key).toSorted();

    beforeAll(async () => {
      let nowMs = Date.now() - 100 * DAY_MS;
      await using store = await openStore(target, { clock: () => nowMs });
      const seed = async (key: string, count: number): Promise<void> => {
        const chat = await store.open(key, { title: key === "notes:titled" ? "A title" : undefined });
        ids.set(key, chat.id);
        await chat.append(
          Array.from({ length: count }, (_, index) => ({
            role: "user" as const,
            content: `Secret ${index}`,
          })),
        );
      };
      for (const key of ["notes:old", "discord:dm:old", "notes:gone-long"]) await seed(key, 2);
      await store.delete("notes:gone-long");
      nowMs += 100 * DAY_MS;
      for (const key of ["notes:new", "notes:titled", "discord:dm:new"]) await seed(key, 3);
      await store.delete("notes:titled");
    });
    afterAll(() => place[Symbol.dispose]());

    it("redacts one message, which stays in place", async () => {
      const { messages } = await place.json(sessions("history", "notes:new"));
      const receipt = await place.json(sessions("redact", "notes:new", messages[1].id));
      expect(Object.keys(receipt)).toEqual(RECEIPT_MEMBERS);
      expect(receipt.id).toBe(ids.get("notes:new"));
      const after = await place.json(sessions("history", "notes:new"));
      expect(after.messages.map((one: Printed) => one.text)).toEqual(["Secret 0", "[redacted]", "Secret 2"]);
      const { stdout } = await place.run(sessions("redact", "notes:new", messages[0].id));
      expect(stdout).toMatch(/^Erased the content of entry \S+ in notes:new\n/);
    });

    it("redacts the name of a branch, a label and the session key", async () => {
      await place.json(sessions("append", "notes:names", "--role", "user", "--content", "x"));
      const { messages } = await place.json(sessions("history", "notes:names"));
      await place.json(sessions("branch", "notes:names", "--from", messages[0].id, "--name", "Swordfish"));
      await place.json(sessions("label", "notes:names", messages[0].id, "Swordfish"));
      const { id } = await place.json(sessions("redact", "notes:names", "--branch", "Swordfish"));
      expect((await place.json(sessions("redact", "notes:names", "--label", "Swordfish"))).entries).toBe(1);
      const { stdout } = await place.run(sessions("redact", "notes:names", "--key"));
      expect(stdout).toBe(`Erased the session key in ${id}\n`);
      const { branches } = await place.json(sessions("branches", id));
      expect(branches[1].name).toMatch(/^redacted-\d+$/);
      const shown = await place.json(sessions("show", id, "--all"));
      expect(shown.info.key).toBeNull();
      expect(JSON.stringify(shown)).not.toContain("Swordfish");
      for (const wrong of [[], ["--key", "--branch", "a"], [messages[0].id, "--label", "b"]]) {
        expect((await place.failure(sessions("redact", id, ...wrong))).code).toBe(2);
      }
      await place.json(sessions("purge", id, "--force"));
    });

    it("shows in a dry run what a policy would do, and then does it", async () => {
      const retain = sessions("retain", "--max-age-days", "30", "--trash-days", "30");
      const planned = await place.json([...retain, "--dry-run"]);
      expect(Object.keys(planned)).toEqual(["dryRun", "trashed", "removed", "bytes"]);
      expect(planned.dryRun).toBe(true);
      expect(planned.trashed.map((one: Printed) => one.name).toSorted()).toEqual([
        "discord:dm:old",
        "notes:old",
      ]);
      expect(planned.removed).toEqual([
        {
          id: ids.get("notes:gone-long"),
          name: "notes:gone-long",
          entries: 2,
          bytes: expect.any(Number),
        },
      ]);
      expect(planned.bytes).toBe(planned.removed[0].bytes);
      const { stdout } = await place.run([...retain, "--dry-run"]);
      expect(stdout).toMatch(/2 conversations with 4 messages, .* would be moved to the trash\.\n/);
      expect(stdout).toMatch(/1 conversation with 2 messages, .* would be permanently removed\.\n/);
      expect(stdout).toMatch(/Nothing was changed\.\n$/);
      expect(await place.json(retain)).toEqual({ ...planned, dryRun: false });
      expect(await keys()).toEqual(["discord:dm:new", "notes:new"]);
      expect((await place.run(retain)).stdout).toBe("Everything is within the limits.\n");
    });

    it("applies limits to one channel only", async () => {
      const report = await place.json(
        sessions("retain", "--channel", "discord", "--max-age-days", "1", "--dry-run"),
      );
      expect(report.trashed).toEqual([]);
      const few = sessions("retain", "--max-messages", "1", "--max-bytes", "1", "--dry-run");
      // The newest conversation of a channel is never too much.
      expect((await place.json(few)).trashed).toEqual([]);
      const { stderr } = await place.run(sessions("retain", "--channel", "discrod", "--max-messages", "1"));
      expect(stderr).toBe("No conversation has the channel discrod.\n");
    });

    it("purges one conversation from the trash", async () => {
      const id = ids.get("notes:titled") ?? "";
      const planned = await place.json(sessions("purge", id, "--dry-run"));
      expect(Object.keys(planned)).toEqual(["dryRun", "removed", "bytes", "receipts", "originals"]);
      expect(planned).toMatchObject({
        dryRun: true,
        removed: [{ id, name: "A title", entries: 3 }],
        receipts: [],
      });
      expect(Object.keys(planned.removed[0])).toEqual(["id", "name", "entries", "bytes"]);
      const purged = await place.json(sessions("purge", id));
      expect(purged).toMatchObject({ dryRun: false, removed: [{ id, name: "A title", entries: 3 }] });
      expect(Object.keys(purged.receipts[0])).toEqual(RECEIPT_MEMBERS);
      expect(purged.receipts[0]).toMatchObject({ id, entries: 3 });
      expect((await place.failure(sessions("purge", id))).error.code).toBe("NOT_FOUND");
      expect((await place.failure(sessions("restore", id))).error.code).toBe("NOT_FOUND");
    });

    it("purges a conversation that is not in the trash only with --force", async () => {
      const refused = await place.failure(sessions("purge", ids.get("discord:dm:new") ?? ""));
      expect(refused).toMatchObject({ code: 1, error: { code: "CONFLICT", field: "force" } });
      const { removed } = await place.json(sessions("purge", "discord:dm:new", "--force"));
      expect(removed).toMatchObject([{ name: "discord:dm:new", entries: 3 }]);
      expect(await keys()).toEqual(["notes:new"]);
    });

    it("empties the trash, optionally by age", async () => {
      expect(await keys("--trash")).toEqual(["discord:dm:old", "notes:old"]);
      const none = await place.json(sessions("purge", "--trash", "--older-than-days", "1"));
      expect(none).toEqual({ dryRun: false, removed: [], bytes: 0, receipts: [], originals: [] });
      const planned = await place.run(sessions("purge", "--trash", "--dry-run"));
      expect(planned.stdout).toMatch(/^CONVERSATION +MESSAGES +SIZE\n/);
      expect(planned.stdout).toMatch(
        /\n2 conversations with 4 messages, .* would be removed\. Nothing was changed\.\n$/,
      );
      const { stdout } = await place.run(sessions("purge", "--trash"));
      expect(stdout).toMatch(/Permanently removed 2 conversations with 4 messages, .*\.\n/);
      expect((await place.run(sessions("purge", "--trash"))).stdout).toBe("Nothing to purge.\n");
      expect((await place.json(sessions("validate"))).findings).toEqual([]);
    });
  });
}

describe("retention", () => {
  it("keeps the newest conversation of a channel over a limit, and reports it", async () => {
    using place = new Place();
    {
      await using store = await openStore(`sqlite:${place.state}/conversations.db`);
      for (const [key, count] of [
        ["notes:old", 2],
        ["notes:long", 300],
        ["other:short", 3],
      ] as const) {
        const messages = Array.from({ length: count }, () => ({ role: "user" as const, content: "x" }));
        await (await store.open(key)).append(messages);
      }
    }
    const retain = (...args: string[]): string[] => ["sessions", "retain", ...args];
    const kept =
      /Over the limits but kept: notes:long \(300 messages\)\. The newest conversation of a channel is never removed/;
    const planned = await place.run(retain("--max-messages", "12", "--dry-run"));
    expect(planned.stdout).toMatch(/1 conversation with 2 messages, .* would be moved to the trash\.\n/);
    expect(planned.stdout).toMatch(kept);
    expect((await place.run(retain("--max-messages", "12"))).stdout).toMatch(kept);
    const again = (await place.run(retain("--max-messages", "12"))).stdout;
    expect(again).toMatch(kept);
    expect(again).not.toContain("within the limits");
    expect((await place.run(retain("--max-messages", "12", "--channel", "other"))).stdout).toBe(
      "Everything is within the limits.\n",
    );
    expect((await place.run(retain("--max-bytes", "1"))).stdout).toMatch(
      /: other:short \(\d+ bytes\), notes:long \(\S+ kB\)\. /,
    );
  });

  it("treats an age of 0 as everything", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", "--role", "user", "--content", "Hi"]);
    const { trashed } = await place.json(["sessions", "retain", "--max-age-days", "0", "--dry-run"]);
    expect(trashed).toMatchObject([{ name: "notes:a" }]);
  });
});

describe("erasing", () => {
  it("does nothing if there is no store yet", async () => {
    using place = new Place();
    const nothing = { dryRun: false, removed: [], bytes: 0 };
    expect(await place.json(["sessions", "purge", "--trash"])).toEqual({
      ...nothing,
      receipts: [],
      originals: [],
    });
    expect(await place.json(["sessions", "retain", "--trash-days", "0"])).toEqual({
      ...nothing,
      trashed: [],
    });
  });

  it("lists copies that may contain the same text", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", "--role", "user", "--content", "Secret"]);
    // As a migration leaves it next to the file.
    const copy = `${place.state}/conversations.db.backup-v1`;
    writeFileSync(copy, "");
    const { stdout } = await place.run(["sessions", "purge", "notes:a", "--force"]);
    expect(stdout).toContain(`may contain the same text; remove them yourself:\n  ${copy}\n`);
  });
});
