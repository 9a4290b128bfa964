import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { INFO_MEMBERS, Place, type Printed } from "./run-command.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

for (const engine of ["sqlite", "jsonl"] as const) {
  describe(`sessions on ${engine}`, () => {
    const place = new Place();
    const target = `${engine}:${place.path(engine === "sqlite" ? "agent.db" : "chats")}`;
    const named = ["--store", target];
    const sessions = (...args: string[]): string[] => ["sessions", ...args, ...named];
    let id: string;

    beforeAll(async () => {
      await using store = await openStore(target);
      const chat = await store.open("discord:dm:42", { title: "Plans", model: "m-1" });
      await chat.append({ role: "user", content: "What did we decide?" });
      await chat.append([
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "text", text: "To go." },
          ],
        },
        { role: "user", content: "Good." },
      ]);
      id = chat.id;
    });
    afterAll(() => place[Symbol.dispose]());

    it("lists conversations with the ten promised properties", async () => {
      const { items, cursor } = await place.json(sessions("list"));
      expect(cursor).toBeNull();
      expect(items).toHaveLength(1);
      expect(Object.keys(items[0])).toEqual(INFO_MEMBERS);
      expect(items[0]).toMatchObject({
        id,
        key: "discord:dm:42",
        title: "Plans",
        channel: "discord",
        model: "m-1",
      });
      expect(items[0]).toMatchObject({ messageCount: 3, branchCount: 1 });
      expect(items[0].lastMessageAt).toMatch(ISO);
    });

    it("shows a table to readers", async () => {
      const { stdout, code } = await place.run(sessions("list"));
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^TITLE +# +CONVERSATION +LAST +MESSAGES\nPlans +#1 +discord:dm:42 +just now +3\n$/,
      );
    });

    it("shows a conversation by id and by key", async () => {
      const byKey = await place.json(sessions("show", "discord:dm:42"));
      expect(await place.json(sessions("show", id.toUpperCase(), "--all"))).toEqual(byKey);
      expect(Object.keys(byKey)).toEqual(["info", "branch", "entries", "turn"]);
      expect(byKey.turn).toBeNull();
      expect(Object.keys(byKey.info)).toEqual([...INFO_MEMBERS, "head"]);
      expect(byKey.info.head).toBe(byKey.entries[2].id);
      expect(byKey.branch).toBe("main");
      expect(byKey.entries.map((entry: Printed) => entry.seq)).toEqual([1, 2, 3]);
      expect(byKey.entries[0]).toMatchObject({ parentId: null, kind: "message", message: { role: "user" } });
      expect(byKey.entries[1].parentId).toBe(byKey.entries[0].id);
      expect(byKey.entries[0].at).toMatch(ISO);
    });

    it("shows the last entries with --last", async () => {
      const { entries } = await place.json(sessions("show", id, "--last", "2"));
      expect(entries.map((entry: Printed) => entry.seq)).toEqual([2, 3]);
      const { stdout } = await place.run(sessions("show", id, "--last", "1"));
      expect(stdout).toMatch(/Title +Plans/);
      expect(stdout).toMatch(/ +3 +user +just now +Good\./);
      expect(stdout).not.toContain("To go.");
    });

    it("returns the text of the messages with history", async () => {
      const { info, messages } = await place.json(sessions("history", id));
      expect(Object.keys(info)).toEqual(INFO_MEMBERS);
      expect(messages.map((message: Printed) => [message.role, message.text])).toEqual([
        ["user", "What did we decide?"],
        ["assistant", "To go."],
        ["user", "Good."],
      ]);
      expect(Object.keys(messages[0])).toEqual(["role", "text", "at", "id"]);
      const { stdout } = await place.run(sessions("history", id, "--last", "1"));
      expect(stdout).toBe("user · just now\n  Good.\n");
    });

    it("returns placeholders for messages without text with history", async () => {
      {
        await using store = await openStore(target);
        const chat = await store.open("notes:tools");
        await chat.append([
          { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "42" }] },
        ]);
      }
      const { messages } = await place.json(sessions("history", "notes:tools"));
      expect(messages.map(({ text }: Printed) => text)).toEqual(["[tool_use f]", "[tool_result] 42"]);
      const { stdout } = await place.run(sessions("history", "notes:tools"));
      for (const { text } of messages) expect(stdout).toContain(`\n  ${text}\n`);
      await place.json(sessions("purge", "notes:tools", "--force"));
    });

    it("appends to a new key, and resumes it", async () => {
      const first = await place.json(sessions("append", "notes:a", "--role", "user", "--content", "One"));
      expect(Object.keys(first)).toEqual(["entries"]);
      expect(first.entries[0]).toMatchObject({
        seq: 1,
        parentId: null,
        message: { role: "user", content: "One" },
      });
      const second = await place.json(
        sessions("append", "notes:a", "--role", "assistant", "--content", "-"),
        {
          input: "Two\nlines\n",
        },
      );
      expect(second.entries[0]).toMatchObject({ seq: 2, message: { content: "Two\nlines" } });
      const { stdout } = await place.run(sessions("append", "notes:a", "--role", "user", "--content=-x"));
      expect(stdout).toMatch(/^Appended 1 message to notes:a; its head is \S+\n$/);
    });

    it("writes nothing when an id or an operation id is repeated", async () => {
      const append = sessions("append", "notes:retry", "--role", "user", "--content", "Once", "--id", "e1");
      const first = await place.json([...append, "--operation-id", "op1"]);
      expect(await place.json([...append, "--operation-id", "op1"])).toEqual(first);
      expect(await place.json(append)).toEqual(first);
      expect((await place.run(append)).stdout).toBe(
        "Already appended: 1 message in notes:retry; nothing written\n",
      );
      const other = sessions("append", "notes:retry", "--role", "user", "--content", "Twice", "--id", "e1");
      expect(await place.failure(other)).toMatchObject({ code: 1, error: { code: "CONFLICT", field: "id" } });
    });

    it("appends only after the expected head", async () => {
      const append = (head: string): string[] =>
        sessions("append", "notes:head", "--role", "user", "--content", "Next", "--expected-head", head);
      const unknown = await place.failure(append("nowhere"));
      expect(unknown).toMatchObject({ code: 1, error: { code: "CONFLICT", field: "expectedHead" } });
      expect((await place.failure(sessions("show", "notes:head"))).error.code).toBe("NOT_FOUND");
      const { entries } = await place.json(append(""));
      expect((await place.failure(append(""))).error.code).toBe("CONFLICT");
      expect((await place.json(append(entries[0].id))).entries[0].seq).toBe(2);
    });

    it.each([
      ["--expected-head", "nowhere"],
      ["--branch", "idea"],
    ])("leaves no store behind when %s refuses the first append", async (...options) => {
      const target = engine === "sqlite" ? "sqlite:none.db" : "jsonl:none";
      const words = ["append", "notes:new", "--role", "user", "--content", "Next", "--store", target];
      expect((await place.failure(["sessions", ...words, ...options])).code).toBe(1);
      expect(readdirSync(place.folder).filter((name) => name.startsWith("none"))).toEqual([]);
    });

    it("writes the lines of --jsonl as one append", async () => {
      const input =
        '\ufeff{"role":"user","content":"A","id":"j1"}\r\n\n{"role":"assistant","content":[{"type":"text","text":"B"}]}';
      const { entries } = await place.json(sessions("append", "notes:lines", "--jsonl", "-"), { input });
      expect(entries.map((entry: Printed) => entry.seq)).toEqual([1, 2]);
      expect(entries[0]).toMatchObject({ id: "j1", operationId: entries[1].operationId });
    });

    it("writes nothing if one line is invalid", async () => {
      const append = sessions("append", "notes:bad", "--jsonl", "-");
      const good = '{"role":"user","content":"A","id":"x"}';
      const bad: [string, RegExp, string][] = [
        ["{oops", /^Line 2: not JSON \([^()]+\)\. Nothing was written$/, "jsonl"],
        ['{"role":"robot","content":"A"}', /^Line 2: Invalid message role/, "role"],
        ['{"role":"user","content":" "}', /^Line 2: Message content required/, "content"],
        ['["user"]', /^Line 2: A message must be an object/, "message"],
        [good, /^Line 2: the id "x" is also on line 1/, "id"],
      ];
      for (const [line, message, field] of bad) {
        const { code, error } = await place.failure(append, { input: `${good}\n${line}\n` });
        expect({ code, ...error }).toMatchObject({ code: "VALIDATION_ERROR", field });
        expect(code).toBe(1);
        expect(error.message).toMatch(message);
      }
      expect((await place.failure(append, { input: "\n" })).error.field).toBe("jsonl");
      expect((await place.failure(append, { input: Buffer.from([0x22, 0xff, 0x0a]) })).error.message).toMatch(
        /UTF-8/,
      );
      expect((await place.failure(sessions("show", "notes:bad"))).error.code).toBe("NOT_FOUND");
    });

    it("sets a title, and removes it", async () => {
      const { info } = await place.json(sessions("title", "notes:a", "Shopping"));
      expect(Object.keys(info)).toEqual(INFO_MEMBERS);
      expect(info.title).toBe("Shopping");
      expect((await place.run(sessions("title", "notes:a", "Food"))).stdout).toBe(
        'notes:a is now called "Food"\n',
      );
      const invisible = await place.failure(sessions("title", "notes:a", "\u200b"));
      expect(invisible.error.message).toBe('Title must not be blank; "" removes it');
      expect((await place.json(sessions("show", "notes:a"))).info.title).toBe("Food");
      expect((await place.json(sessions("title", "notes:a", ""))).info.title).toBeNull();
    });

    it("deletes to the trash and restores", async () => {
      const gone = await place.json(sessions("delete", "notes:lines"));
      expect(Object.keys(gone.info)).toEqual(INFO_MEMBERS);
      expect((await place.failure(sessions("show", "notes:lines"))).error.code).toBe("NOT_FOUND");
      const { items } = await place.json(sessions("list", "--trash"));
      expect(items.map((info: Printed) => info.id)).toEqual([gone.info.id]);
      expect(Object.keys(items[0])).toEqual([...INFO_MEMBERS, "deletedAt"]);
      expect(items[0].deletedAt).toMatch(ISO);
      const { stdout } = await place.run(sessions("list", "--trash"));
      expect(stdout).toMatch(
        new RegExp(
          `^TITLE +# +ID +DELETED +KEY +MESSAGES\n\\S.* +#1 +${gone.info.id} +just now +notes:lines +2\n$`,
        ),
      );
      const back = `notes:lines is in the trash. To restore it: colloquy sessions restore ${gone.info.id} --store ${target}`;
      for (const command of ["show", "history", "delete", "branches"]) {
        const { error } = await place.failure(sessions(command, "notes:lines"));
        expect(error).toEqual({ code: "NOT_FOUND", message: back, field: null });
      }
      const append = sessions("append", gone.info.id, "--role", "user", "--content", "x");
      for (const args of [append, sessions("show", gone.info.id)])
        expect((await place.failure(args)).error.message).toMatch(/ is in the trash\. To restore it: /);
      expect((await place.json(sessions("restore", gone.info.id))).info.key).toBe("notes:lines");
      expect((await place.failure(sessions("restore", gone.info.id))).error).toMatchObject({
        code: "NOT_FOUND",
        message: `Conversation ${gone.info.id} is not in the trash`,
      });
    });

    it("distinguishes deleted conversations in a narrow terminal", async () => {
      for (const title of ["A plan", "Another plan"]) {
        const { entries } = await place.json(
          sessions("append", "notes:twin", "--role", "user", "--content", title),
        );
        expect(entries).toHaveLength(1);
        await place.json(sessions("title", "notes:twin", title));
        await place.json(sessions("delete", "notes:twin"));
      }
      const { stdout, stderr } = await place.run(sessions("list", "--trash"), { env: { COLUMNS: "40" } });
      expect(stdout).toMatch(
        /^TITLE +# +ID +DELETED\n(.*\n)*Another plan +#1 +[0-9a-f-]+…[0-9a-f-]+ +just now\nA plan +#2 /,
      );
      expect(stderr).toBe("");
      const several = await place.failure(sessions("show", "notes:twin"));
      expect(several.error.message).toMatch(
        /^2 conversations in the trash had the key notes:twin\. To list them: .* list --trash --store/,
      );
    });

    it("restores and purges by key the conversation that was deleted last", async () => {
      expect((await place.json(sessions("restore", "notes:twin"))).info.title).toBe("Another plan");
      // One has the key, and one in the trash had it.
      expect((await place.failure(sessions("restore", "notes:twin"))).error.code).toBe("CONFLICT");
      const { removed } = await place.json(sessions("purge", "notes:twin"));
      expect(removed).toMatchObject([{ name: "A plan" }]);
      expect((await place.failure(sessions("purge", "notes:twin"))).error.code).toBe("CONFLICT");
      const forced = await place.json(sessions("purge", "notes:twin", "--force"));
      expect(forced.removed).toMatchObject([{ name: "Another plan" }]);
      for (const command of ["restore", "purge"])
        expect((await place.failure(sessions(command, "notes:twin"))).error.code).toBe("NOT_FOUND");
    });

    it("does not restore while the key is in use again", async () => {
      const { info } = await place.json(sessions("delete", "notes:retry"));
      await place.json(sessions("append", "notes:retry", "--role", "user", "--content", "New"));
      expect(await place.failure(sessions("restore", info.id))).toMatchObject({
        code: 1,
        error: { code: "CONFLICT" },
      });
    });

    it("lists page by page", async () => {
      const all = (await place.json(sessions("list"))).items.map((info: Printed) => info.id);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const more: string[] = cursor === null ? [] : ["--cursor", cursor];
        const page: Printed = await place.json(sessions("list", "--limit", "2", ...more));
        seen.push(...page.items.map((info: Printed) => info.id));
        cursor = page.cursor;
      } while (cursor !== null);
      expect(seen).toEqual(all);
      const { stdout, stderr } = await place.run(sessions("list", "--limit", "1"));
      expect(stdout.split("\n")).toHaveLength(3);
      expect(stderr).toMatch(/^More conversations: add --cursor \S+\n$/);
    });

    it("counts with stats", async () => {
      const stats = await place.json(sessions("stats"));
      expect(Object.keys(stats).sort()).toEqual(
        ["bytes", "conversations", "engine", "entries", "path", "reclaimable", "top"].sort(),
      );
      expect(stats).toMatchObject({ engine, path: target.slice(engine.length + 1) });
      expect(stats.bytes).toBeGreaterThan(0);
      expect(Object.keys(stats.top[0])).toEqual([...INFO_MEMBERS, "bytes"]);
      expect(stats.top[0].bytes).toBeGreaterThan(0);
      const { stdout } = await place.run(sessions("stats"));
      expect(stdout).toMatch(/Conversations +\d+\nEntries/);
      expect(stdout).toMatch(
        /TITLE +CONVERSATION +SIZE +MESSAGES +LAST\n(.*\n)*\S.* {2}discord:dm:42 +\d+ bytes +3 /,
      );
      // One conversation is in the trash since the last test but one.
      expect(stdout).toMatch(/ +\d+ bytes: 1 conversation in the trash\. .* sessions purge --trash --store /);
    });

    it("finds no problems in an intact store", async () => {
      const report = await place.json(sessions("validate"));
      expect(report).toEqual({ ok: true, conversations: expect.any(Number), findings: [] });
      expect((await place.run(sessions("validate"))).stdout).toMatch(
        /^ok: \d+ conversations and \d+ entries read/,
      );
    });

    it("creates only the last list in the state folder when another store is named", () => {
      expect(readdirSync(place.state)).toEqual(["last-lists"]);
    });
  });
}
