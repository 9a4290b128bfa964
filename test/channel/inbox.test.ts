import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ChannelMessage } from "../../src/channel/channel.ts";
import { acceptEdit, acceptMessage } from "../../src/channel/inbox/accept.ts";
import { MessageDesk } from "../../src/channel/inbox/desk.ts";
import { checkChannels } from "../../src/doctor/channels.ts";
import { ColloquyError, openStore, type Store, textOf } from "../../src/index.ts";
import type { Job } from "../../src/store/jobs/jobs.ts";
import { until } from "../support/until.ts";

const NAME = { name: "test", accountId: "1" };

function message(id: string, text: string, rest: Partial<ChannelMessage> = {}): ChannelMessage {
  return { id, text, from: { id: "42", name: "Ann" }, chatType: "direct", isAddressed: true, ...rest };
}

interface Scene {
  readonly store: Store;
  readonly desk: MessageDesk;
  readonly sent: string[];
  readonly problems: string[];
  readonly downloads: string[];
  /** Called by the next answers. */
  readonly during: (() => Promise<unknown>)[];
  /** Thrown by the next sends, or by the next answers. */
  readonly failures: { send: ColloquyError[]; answer: Error[] };
  now: number;
}

async function scene(): Promise<Scene> {
  const store = await openStore("ephemeral:");
  const [sent, problems, downloads]: [string[], string[], string[]] = [[], [], []];
  const during: Scene["during"] = [];
  const failures: Scene["failures"] = { send: [], answer: [] };
  const made: Omit<Scene, "desk"> = {
    store,
    sent,
    problems,
    downloads,
    during,
    failures,
    now: Date.parse("2026-01-01"),
  };
  const desk = new MessageDesk({
    store,
    channel: {
      ...NAME,
      async send({ to }, text) {
        const failure = failures.send.shift();
        if (failure !== undefined) throw failure;
        sent.push(`${to}: ${text}`);
      },
      async download(ref) {
        downloads.push(ref);
        if (ref === "gone.png") throw new ColloquyError("NOT_FOUND", "It is gone");
        return Buffer.from("abc");
      },
    },
    cuts: {},
    pollMs: 5,
    clock: () => made.now,
    onProblem: (problem) => problems.push(problem.message),
    async answer({ conversation, entryId }) {
      await during.shift()?.();
      const failure = failures.answer.shift();
      if (failure !== undefined) throw failure;
      const question = (await conversation.entry(entryId))?.message;
      const words = question === undefined ? "" : textOf(question);
      if (words === "silence") return undefined;
      const content = `re ${words}`;
      const operationId = `${entryId}/answer`;
      return (await conversation.append({ role: "assistant", content }, { operationId })).head;
    },
  });
  return Object.assign(made, { desk });
}

const open = async ({ store }: Scene): Promise<string[]> =>
  (await Array.fromAsync(store.jobs.list())).map(({ queue, id }) => `${queue} ${id}`);

describe("an inbox", () => {
  it("keeps a message with where it came from, and answers in order", async () => {
    const { store, desk, sent } = await scene();
    const chat = await store.open("test:dm:42");
    expect(await acceptMessage(chat, NAME, message("1", "one"))).toBe(true);
    expect(await acceptMessage(chat, NAME, message("2", "two", { to: "room", chatType: "channel" }))).toBe(
      true,
    );
    expect(await acceptMessage(chat, NAME, message("1", "one"))).toBe(false);
    expect(await acceptMessage(chat, NAME, message("3", "  "))).toBe(false);
    const [first] = (await chat.messages()).items;
    expect(first?.message.provenance).toEqual({
      ...{ channel: "test", accountId: "1", messageId: "1", from: "42", fromName: "Ann", chatType: "direct" },
    });
    await desk.start();
    await until(() => sent.length === 2);
    expect(sent).toEqual(["42: re one", "room: re two"]);
    await desk.close();
    expect(await acceptMessage(chat, NAME, message("1", "one"))).toBe(false);
    expect((await store.jobs.list()).items).toEqual([]);
  });

  it("keeps a message before its files, and names those that it cannot keep", async () => {
    const { store, desk, sent, downloads } = await scene();
    const chat = await store.open("test:dm:42");
    const file = (name: string, mediaType: string, size = 3) => ({ name, mediaType, size, ref: name });
    const attachments = [
      file("a.png", "image/png"),
      file("b.txt", "text/plain; charset=utf-8"),
      file("c.zip", "application/zip"),
      file("d.png", "image/png", 1e9),
      file("gone.png", "image/png"),
    ];
    await acceptMessage(chat, NAME, message("1", "look", { attachments }));
    await acceptMessage(chat, NAME, message("1", "look", { attachments }));
    const text = (words: string) => ({ type: "text", text: words });
    const names = [
      ...[
        text("look"),
        text("[file a.png (image/png, 3 bytes)]"),
        text("[file b.txt (text/plain, 3 bytes)]"),
      ],
      text("[file c.zip (application/zip, 3 bytes) was not read]"),
      text("[file d.png (image/png, 1.0 GB) is too large and was not read]"),
      text("[file gone.png (image/png, 3 bytes)]"),
    ];
    const contents = async () => (await chat.messages()).items.map((entry) => entry.message.content);
    expect(await contents()).toEqual([names]);
    expect(downloads).toEqual([]);
    await desk.start();
    await until(() => sent.length > 0);
    await desk.close();
    expect(await contents()).toEqual([
      names,
      [
        { type: "image", source: { type: "base64", media_type: "image/png", data: "YWJj" } },
        text("[file b.txt]\nabc"),
        text("[file gone.png (image/png, 3 bytes) could not be downloaded]"),
      ],
      expect.anything(),
    ]);
    expect(downloads).toEqual(["a.png", "b.txt", "gone.png"]);
  });

  it("answers the new version of a message that waits, and notes that of an answered one", async () => {
    const { store, desk, sent } = await scene();
    const chat = await store.open("test:dm:42");
    const edit = (text: string) => acceptEdit(store, chat, NAME, message("1", text, { isEdit: true }));
    expect(await edit("never seen")).toBe(false);
    await acceptMessage(chat, NAME, message("1", "oen"));
    expect(await edit("one more")).toBe(true);
    expect(await edit("one")).toBe(true);
    expect(await edit("one")).toBe(false);
    expect(await edit("on")).toBe(true);
    expect(await edit("one and")).toBe(true);
    expect(await edit("one")).toBe(true);
    await desk.start();
    await until(() => sent.length > 0);
    expect(await edit("two")).toBe(true);
    await desk.close();
    expect(sent).toEqual(["42: re one"]);
    const notes = (await chat.entries()).items.filter(({ kind }) => kind === "custom");
    expect(notes.map(({ data }) => data)).toEqual([
      { type: "message-edited", entry: "test:1:1", text: "two" },
    ]);
  });

  it.each([
    ["while it is answered", "before", ["42: re two"]],
    ["when its answer is there", "after", ["42: re one"]],
  ] as const)("replies once to a message that is edited %s, and keeps the edit", async (_, when, replies) => {
    const { store, desk, sent, during } = await scene();
    const chat = await store.open("test:dm:42");
    await acceptMessage(chat, NAME, message("1", "one"));
    const edit = () => acceptEdit(store, chat, NAME, message("1", "two", { isEdit: true }));
    if (when === "before") during.push(edit);
    const change = store.jobs.change.bind(store.jobs);
    // Between the last look for edits and the write that makes the message answered.
    store.jobs.change = async (what) => {
      const isReply = what.put?.some(({ queue }) => queue.startsWith("outbox"));
      if (isReply && when === "after") {
        store.jobs.change = change;
        await edit();
      }
      return change(what);
    };
    await desk.start();
    while ((await store.jobs.list()).items.length > 0) await sleep(5);
    await desk.close();
    expect(sent).toEqual(replies);
    const { items } = await chat.messages();
    expect(items.map(({ message: one }) => textOf(one))).toContain("two");
  });

  it("waits for a message that another process is writing after its job", async () => {
    const { store, desk, sent } = await scene();
    const chat = await store.open("test:dm:42");
    const writer = await chat.lease();
    await acceptMessage(chat, NAME, message("1", "one"));
    const [job] = (await store.jobs.list()).items as [Job];
    const other = await store.open("test:dm:43");
    const early = {
      ...job,
      conversation: other.id,
      id: "test:1:2",
      data: { ...job.data, entry: "test:1:2" },
    };
    const held = await other.lease();
    await store.jobs.change({ put: [early] });
    await desk.start();
    await sleep(30);
    await other.append({ id: "test:1:2", role: "user", content: "two" });
    await held.release();
    await writer.release();
    await until(() => sent.length === 2);
    await desk.close();
    expect(sent.toSorted()).toEqual(["42: re one", "42: re two"]);
  });

  it("answers a message whose new version was not written before a crash, and drops one that was not", async () => {
    const { store, desk, sent } = await scene();
    const chat = await store.open("test:dm:42");
    await acceptMessage(chat, NAME, message("1", "one"));
    const [job] = (await store.jobs.list()).items as [Job];
    const lost = (id: string, more: object) => ({ ...job, id, data: { ...job.data, entry: id, ...more } });
    const edits = "test:1:1";
    await store.jobs.change({ put: [lost("test:1:1+x", { edits }), lost("test:1:9", {})] });
    await desk.start();
    while ((await store.jobs.list()).items.length > 0) await sleep(5);
    await desk.close();
    expect(sent).toEqual(["42: re one"]);
  });

  it("tells the user in one sentence that it could not answer, and the owner why", async () => {
    const { store, desk, sent, failures, problems } = await scene();
    const chat = await store.open("test:dm:42");
    failures.answer.push(
      ...[
        new ColloquyError("RATE_LIMITED", "The model is busy"),
        new ColloquyError("UNAUTHORIZED", "There is no key. Add one with colloquy auth add anthropic"),
        new TypeError("undefined is not a function"),
      ],
    );
    await acceptMessage(chat, NAME, message("1", "one"));
    await acceptMessage(chat, NAME, message("2", "two"));
    await acceptMessage(chat, NAME, message("3", "three"));
    await desk.start();
    await until(() => sent.length === 3);
    await desk.close();
    const wrong = "42: I could not answer: something is wrong here. The owner of this agent can see what.";
    expect(sent).toEqual(["42: I cannot answer right now. Please try again later.", wrong, wrong]);
    expect(problems).toEqual([
      ...["The model is busy", "There is no key. Add one with colloquy auth add anthropic"],
      "Cannot answer a message: undefined is not a function",
    ]);
  });
});

describe("an outbox", () => {
  it("tells the user that there is no answer", async () => {
    const { store, desk, sent } = await scene();
    await acceptMessage(await store.open("test:dm:42"), NAME, message("1", "silence"));
    await desk.start();
    await until(() => sent.length === 1);
    expect(sent).toEqual(["42: I have no answer to that."]);
    await desk.close();
  });

  it("tries again later, in order, and does not keep the next message waiting for its answer", async () => {
    const it = await scene();
    const { store, desk, sent, failures, problems } = it;
    const chat = await store.open("test:dm:42");
    failures.send.push(new ColloquyError("NETWORK_ERROR", "Connection lost"));
    for (const id of ["1", "2"]) await acceptMessage(chat, NAME, message(id, id));
    await desk.start();
    const both = "outbox:test:1 test:1:1,outbox:test:1 test:1:2";
    while ((await open(it)).join() !== both || problems.length === 0) await sleep(5);
    expect([sent, problems]).toEqual([[], ["Connection lost"]]);
    it.now += 2001;
    await until(() => sent.length === 2);
    await desk.close();
    expect(sent).toEqual(["42: re 1", "42: re 2"]);
    expect(await open(it)).toEqual([]);
  });

  it("does not wait for a time that a wrong clock has set", async () => {
    const it = await scene();
    const { store, desk, sent, failures, problems } = it;
    const chat = await store.open("test:dm:42");
    failures.send.push(new ColloquyError("NETWORK_ERROR", "Connection lost"));
    await acceptMessage(chat, NAME, message("1", "1"));
    await desk.start();
    await until(() => problems.length === 1);
    it.now -= 86_400_000;
    await until(() => sent.length === 1);
    await desk.close();
  });

  it("sets an answer aside that the platform refuses for good, and continues with the next", async () => {
    const it = await scene();
    const { store, desk, sent, failures } = it;
    const chat = await store.open("test:dm:42");
    failures.send.push(new ColloquyError("FORBIDDEN", "The bot was removed from this room"));
    for (const id of ["1", "2"]) await acceptMessage(chat, NAME, message(id, id));
    await desk.start();
    await until(() => sent.length === 1);
    await desk.close();
    expect(sent).toEqual(["42: re 2"]);
    expect(await open(it)).toEqual(["failed:test:1 test:1:1"]);
    const [job] = (await store.jobs.list()).items;
    expect(job?.data).toMatchObject({ error: "The bot was removed from this room", attempts: 1 });
    expect(JSON.stringify(job)).not.toContain("re 1");
    await acceptMessage(chat, NAME, message("3", "3"));
    expect((await checkChannels(store)).findings).toMatchObject([{ code: "failed-replies" }]);
    const { findings } = await checkChannels(store, Date.now() + 6 * 60_000);
    expect(findings).toMatchObject([
      { code: "unanswered-messages", details: { channel: "test", count: 1 } },
      { code: "failed-replies", what: /^test: 1 reply could not be delivered, .*: The bot was removed/ },
    ]);
  });
});
