import { describe, expect, it } from "vitest";
import { AgentLoop } from "../../src/agent/index.ts";
import type { Channel, ChannelEvents, ChannelMessage } from "../../src/channel/index.ts";
import { type AccessPolicy, authorise, ChannelHost, type Session } from "../../src/channel/index.ts";
import { openStore, type Store } from "../../src/index.ts";
import { loadSessionStore, patchSessionEntry } from "../../src/state/session-index/index.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";

function message(id: string, text: string, rest: Partial<ChannelMessage> = {}): ChannelMessage {
  return { id, text, from: { id: "42" }, chatType: "direct", isAddressed: true, ...rest };
}

interface Scene extends AsyncDisposable {
  readonly store: Store;
  readonly sent: string[];
  readonly sessions: Session[];
  readonly agentDir: string;
  receive(message: ChannelMessage): Promise<void>;
}

async function scene(answers: readonly string[], access: AccessPolicy = { users: ["42"] }): Promise<Scene> {
  const store = await openStore("ephemeral:");
  const model = scriptedModel(answers.map((answer) => [answer]));
  const [sent, sessions]: [string[], Session[]] = [[], []];
  const agentDir = tempFolder();
  let events: ChannelEvents | undefined;
  const channel: Channel = {
    ...{ name: "test", accountId: "1", charsMax: 20 },
    start: async (given) => {
      events = given;
    },
    send: async ({ to, threadId }, text) => void sent.push(`${threadId ?? to}: ${text}`),
    close: async () => {},
  };
  const host = new ChannelHost({
    ...{ store, channel, access, pollMs: 5, indexOf: () => ({ agentDir }) },
    loopFor: (session) => {
      sessions.push(session);
      return new AgentLoop({ store, conversation: session.conversation, model });
    },
  });
  await host.start();
  return {
    ...{ store, sent, sessions, agentDir },
    receive: async (received) => events?.onMessage(received),
    async [Symbol.asyncDispose]() {
      await host.close();
      await store.close();
    },
  };
}

describe("a channel host", () => {
  it("answers in the session that a message belongs to, cut as the channel allows", async () => {
    await using it = await scene(["Hello. How are you today?", "In a room.", "In a thread."]);
    await it.receive(message("1", "hi"));
    await it.receive(message("1", "hi"));
    await until(() => it.sent.length === 2);
    await it.receive(message("2", "hi", { to: "room", chatType: "channel" }));
    await until(() => it.sent.length === 3);
    await it.receive(message("3", "hi", { to: "room", threadId: "t", chatType: "thread" }));
    await until(() => it.sent.length === 4);
    expect(it.sent).toEqual(["42: Hello. How are you t", "42: oday?", "room: In a room.", "t: In a thread."]);
    const keys = (await it.store.list()).items.map(({ key }) => key).sort();
    expect(keys).toEqual(["test:channel:room", "test:dm:42", "test:thread:room:t"]);
  });

  it("keeps where a session came from and where answers go, and follows its settings", async () => {
    await using it = await scene(["One.", "Two."]);
    const { agentDir } = it;
    await it.receive(message("1", "hi", { to: "room", groupId: "g", chatType: "channel" }));
    await until(() => loadSessionStore({ agentDir })["test:channel:room"]?.inputTokens !== undefined);
    expect(loadSessionStore({ agentDir })["test:channel:room"]).toMatchObject({
      ...{ chatType: "channel", groupId: "g", channel: "test", lastChannel: "test", lastTo: "room" },
      deliveryContext: { channel: "test", to: "room", accountId: "1" },
      origin: { provider: "test", from: "42", to: "room", accountId: "1" },
      ...{ inputTokens: 10, outputTokens: 5 },
    });
    const patch = {
      modelOverride: "m",
      providerOverride: "p",
      authProfileOverride: "work",
      thinkingLevel: "high",
    };
    await patchSessionEntry({ agentDir, sessionKey: "test:channel:room", patch });
    await it.receive(message("2", "again", { to: "room", groupId: "g", chatType: "channel" }));
    await until(() => it.sent.length === 2);
    expect(it.sessions.map(({ settings }) => settings)).toEqual([
      {},
      { model: "p/m", profileId: "work", thinking: "high" },
    ]);
  });

  it("obeys commands, and does not store them", async () => {
    await using it = await scene(["One.", "Two."]);
    await it.receive(message("1", "hi"));
    await until(() => it.sent.length === 1);
    await it.receive(message("2", "/new"));
    await it.receive(message("3", "hi again"));
    await until(() => it.sent.at(-1) === "42: Two.");
    const { length } = it.sent;
    await it.receive(message("2", "/new"));
    expect(it.sent).toHaveLength(length);
    expect((await it.store.list()).items).toHaveLength(2);
    const { items } = await (await it.store.open("test:dm:42")).messages();
    expect(items.map(({ message: { content } }) => content)).toEqual([
      "hi again",
      [{ type: "text", text: "Two." }],
    ]);
  });

  it.each(["/new", "/clear"])(
    "does not answer a message again that comes again after %s",
    async (command) => {
      await using it = await scene(["One.", "Two.", "Three."]);
      const at = (second: number) => ({ at: `2026-01-01T00:00:0${second}.000Z` });
      await it.receive(message("1", "hi", at(1)));
      await until(() => it.sent.includes("42: One."));
      await it.receive(message("2", command, at(2)));
      for (const received of [message("1", "hi", at(1)), message("2", command, at(2))])
        await it.receive(received);
      // In the same second, but never seen before.
      await it.receive(message("3", "fresh", at(2)));
      await until(() => it.sent.includes("42: Two."));
      const { items } = await (await it.store.open("test:dm:42")).messages();
      expect(items.map(({ message: { content } }) => content)).toEqual([
        "fresh",
        [{ type: "text", text: "Two." }],
      ]);
      expect(it.sent).not.toContain("42: Three.");
    },
  );

  it("carries out a command later that the store could not carry out", async () => {
    await using it = await scene(["One."]);
    await it.receive(message("1", "hi"));
    await until(() => it.sent.length === 1);
    const chat = await it.store.open("test:dm:42");
    const startOver = it.store.startOver.bind(it.store);
    it.store.startOver = () => Promise.reject(new Error("The disk is full"));
    await expect(it.receive(message("2", "/new"))).rejects.toThrow("The disk is full");
    it.store.startOver = startOver;
    await it.receive(message("2", "/new"));
    expect((await it.store.open("test:dm:42")).id).not.toBe(chat.id);
  });

  it("carries out a command that another process began and did not end", async () => {
    await using it = await scene(["One."]);
    await it.receive(message("1", "hi"));
    await until(() => it.sent.length === 1);
    const chat = await it.store.open("test:dm:42");
    const data = { key: "test:dm:42", name: "new" };
    const begun = { queue: "commands:test:1", id: "test:1:2", at: new Date(0).toISOString(), data };
    await it.store.jobs.change({ put: [begun] });
    await it.receive(message("2", "/new"));
    const fresh = await it.store.open("test:dm:42");
    expect(fresh.id).not.toBe(chat.id);
    await fresh.append({ role: "user", content: "something" });
    await it.receive(message("2", "/new"));
    expect((await it.store.open("test:dm:42")).id).toBe(fresh.id);
  });

  it("tells a stranger that it may not answer, and says nothing in rooms", async () => {
    await using it = await scene([]);
    await it.receive(message("1", "hi", { from: { id: "7", name: "42" } }));
    await it.receive(message("2", "/history", { from: { id: "7" } }));
    await it.receive(message("3", "hi", { from: { id: "7" }, to: "room", chatType: "channel" }));
    expect(it.sent.join("")).toMatch(/7: I may not .*7: I may not /s);
    expect((await it.store.list()).items).toEqual([]);
  });
});

describe("access", () => {
  const room = { from: { id: "7" }, to: "r", groupId: "g", chatType: "channel" } as const;
  it.each([
    [{ ...room, isAddressed: true }, { users: ["7"] }, true],
    [{ ...room, isAddressed: false }, { users: ["7"] }, false],
    [{ ...room, isAddressed: false }, { users: ["7"], answersAll: true }, true],
    [{ ...room, isAddressed: true }, { users: [] }, false],
    [{ ...room, isAddressed: true }, { users: [], rooms: ["r"] }, true],
    [{ ...room, isAddressed: true }, { users: [], rooms: ["g"] }, true],
    [{ ...room, isAddressed: true }, { users: ["*"] }, true],
    [{ ...room, isAddressed: true }, { users: ["77"], rooms: ["rr"] }, false],
    [{ ...room, isAddressed: true, chatType: "direct" }, { users: [], rooms: ["*"] }, false],
  ] as const)("of %o by %o is %s", (event, policy, ok) => {
    expect(authorise(event, policy).ok).toBe(ok);
  });
});
