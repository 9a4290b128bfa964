import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { INFO_MEMBERS, Place, type Printed } from "./run-command.ts";

for (const engine of ["sqlite", "jsonl"] as const) {
  describe(`what a model receives, on ${engine}`, () => {
    const place = new Place();
    const target = `${engine}:${place.path(engine === "sqlite" ? "agent.db" : "chats")}`;
    const sessions = (...args: string[]): string[] => ["sessions", ...args, "--store", target];
    const context = (...args: string[]): Promise<Printed> =>
      place.json(sessions("context", "notes:a", "--max-tokens", "9000", ...args));

    beforeAll(async () => {
      await using store = await openStore(target);
      const chat = await store.open("notes:a");
      const role = (index: number) => (index % 2 === 0 ? ("user" as const) : ("assistant" as const));
      await chat.append(
        Array.from({ length: 12 }, (_, index) => ({ role: role(index), content: `Word ${index + 1}` })),
      );
      const long = await store.open("notes:long");
      await long.append(
        Array.from({ length: 40 }, (_, index) => ({
          role: role(index),
          content: `${"many words ".repeat(80)}`,
        })),
      );
    });
    afterAll(() => place[Symbol.dispose]());

    it("is the same as in the library", async () => {
      const found = await context();
      expect(Object.keys(found)).toEqual(["system", "messages", "ledger", "tokens"]);
      expect(found.system).toBeNull();
      expect(found.messages).toHaveLength(12);
      expect(found.ledger).toMatchObject({
        dropped: [],
        budget: { maxTokens: 9000, reserveForOutput: 2048 },
      });
      expect(found.tokens).toBe(found.ledger.budget.used);
      const other = await context("--reserve-for-output", "100", "--strategy", "sliding", "--last", "4");
      expect(other.ledger.budget.reserveForOutput).toBe(100);
      expect(other.ledger.kept).toHaveLength(4);
    });

    it("is a request to an API with --as", async () => {
      const { messages, ledger, tokens } = await context("--as", "anthropic");
      expect([messages.length, tokens]).toEqual([12, ledger.budget.used]);
      expect(Object.keys(await context("--as", "openai-responses"))).toEqual(["input", "ledger", "tokens"]);
      const { stdout } = await place.run(
        sessions("context", "notes:a", "--max-tokens", "9000", "--as", "openai"),
      );
      expect(Object.keys(JSON.parse(stdout))).toEqual(["messages"]);
      const { error } = await place.failure(
        sessions("context", "notes:a", "--max-tokens", "9000", "--as", "telegraph"),
      );
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", field: "as" });
    });

    it("is summarised for readers", async () => {
      const { stdout } = await place.run(sessions("context", "notes:long", "--max-tokens", "4000"), {
        env: { COLUMNS: "60" },
      });
      expect(stdout).toMatch(/^Sent +\d+ messages, [\d,]+ of 1,952 tokens\nWindow +4,000, 2,048 reserved/);
      expect(stdout).toMatch(/\nDropped +\d+ messages: over budget\n/);
      expect(stdout.match(/over budget/g)).toHaveLength(1);
      expect(stdout).toMatch(/\nROLE +TEXT\n/);
      expect(stdout.split("\n").filter((line) => line.length > 60)).toEqual([]);
    });

    it("says that the strategy sandwich requires a model", async () => {
      expect((await context("--strategy", "sandwich")).messages).toHaveLength(12);
      const { code, error } = await place.failure(
        sessions("context", "notes:long", "--max-tokens", "9000", "--strategy", "sandwich"),
      );
      expect({ code, ...error }).toMatchObject({ code: "NOT_SUPPORTED", field: "strategy" });
      expect(error.message).toMatch(/asks no model: use another strategy/);
      expect(
        (await place.failure(sessions("context", "notes:long", "--max-tokens", "4000", "--strategy", "full")))
          .error.code,
      ).toBe("VALIDATION_ERROR");
    });

    it("does not change if there is nothing to compact", async () => {
      const compact = sessions("compact", "notes:a", "--summary", "Words.");
      const none = await place.json(compact);
      expect(Object.keys(none)).toEqual(["info", "entry"]);
      expect(Object.keys(none.info)).toEqual(INFO_MEMBERS);
      expect(none.entry).toBeNull();
      const { code, stdout, stderr } = await place.run(compact);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Nothing to compact in notes:a: .* Nothing was changed\n$/);
      expect(stderr).toMatch(/--keep-messages/);
    });

    it("starts with a summary after a compaction, until that is undone", async () => {
      const { entry } = await place.json(
        sessions("compact", "notes:a", "--summary", "-", "--keep-messages", "4"),
        { input: "They counted.\n" },
      );
      expect(entry).toMatchObject({ kind: "compaction", data: { summary: "They counted.", summarised: 8 } });
      const compacted = await context();
      expect(compacted.ledger.summarised).toMatchObject({ count: 8, compaction: entry.id });
      expect(JSON.stringify(compacted.messages[0])).toContain("They counted.");
      const human = await place.run(sessions("context", "notes:a", "--max-tokens", "9000"));
      expect(human.stdout).toMatch(/\nKept +4 messages\nSummarised +8 messages\n/);
      expect((await place.run(sessions("show", "notes:a"))).stdout).toMatch(
        /compaction +just now +They counted/,
      );
      const { messages } = await place.json(sessions("history", "notes:a"));
      expect(messages).toHaveLength(12);
      const undone = await place.json(sessions("compact", "notes:a", "--undo", String(entry.seq)));
      expect(Object.keys(undone)).toEqual(["info", "entry"]);
      expect(undone.entry).toMatchObject({ data: { type: "undo-compaction", compaction: entry.id } });
      expect((await context()).messages).toHaveLength(12);
      const again = await place.failure(sessions("compact", "notes:a", "--undo", entry.id));
      expect(again).toMatchObject({ code: 1, error: { code: "CONFLICT" } });
    });

    it("starts with the earlier summary again when the later one is undone", async () => {
      const compact = (summary: string, keep: string): Promise<Printed> =>
        place.json(sessions("compact", "notes:long", "--summary", summary, "--keep-messages", keep));
      const undo = async (seq: number): Promise<string> =>
        (await place.run(sessions("compact", "notes:long", "--undo", String(seq)))).stdout;
      const [early, late, last] = [
        (await compact("Early.", "20")).entry.seq,
        (await compact("Late.", "10")).entry.seq,
        (await compact("Last.", "4")).entry.seq,
      ];
      expect(await undo(late)).toBe(
        `Compaction ${late} of notes:long was undone; the later summary, entry ${last}, is still in effect\n`,
      );
      expect(await undo(last)).toBe(
        `Compaction ${last} of notes:long was undone: the earlier summary, entry ${early}, is in effect again\n`,
      );
      const shown = (await place.run(sessions("show", "notes:long", "--last", "3"))).stdout;
      expect(shown).toMatch(/compaction +just now +Early\.\n.*compaction \(undone\) +just now +Late\.\n/);
      expect(await undo(early)).toMatch(/was undone: its messages are included again\n$/);
      const { error } = await place.failure(sessions("compact", "notes:long", "--undo", String(last + 1)));
      expect(error.message).toMatch(
        /^Entry \d+ is not a compaction: it is of the kind info, compaction .* undone$/,
      );
    });

    it("says how to undo a compaction", async () => {
      const { stdout, stderr } = await place.run(
        sessions("compact", "notes:a", "--summary", "Words.", "--keep-tokens", "20"),
      );
      expect(stdout).toMatch(/^The summary now replaces the first \d+ messages of notes:a\n$/);
      const id = /--undo (\S+) --store/.exec(stderr)?.[1] ?? "";
      expect((await place.run(sessions("compact", "notes:a", "--undo", id))).stdout).toBe(
        `Compaction ${id} of notes:a was undone: its messages are included again\n`,
      );
    });
  });
}
