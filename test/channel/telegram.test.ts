import { describe, expect, it, onTestFinished } from "vitest";
import { type Channel, type ChannelMessage, telegramChannel } from "../../src/channel/index.ts";
import { ColloquyError } from "../../src/errors.ts";
import { BOT_TOKEN, TelegramServer } from "../support/servers/telegram-server.ts";
import { until } from "../support/until.ts";

const ANNA = { id: 7, first_name: "Anna" };
const GROUP = { id: -100, type: "supergroup", title: "Harbour" } as const;

class Connected {
  readonly received: ChannelMessage[] = [];
  readonly problems: ColloquyError[] = [];
  readonly server: TelegramServer;
  readonly channel: Channel;
  /** As if the store could not keep the next messages. */
  failures = 0;
  /** The same, for all messages of this user. */
  refused: string | undefined;

  constructor(server: TelegramServer) {
    this.server = server;
    this.channel = telegramChannel({ token: BOT_TOKEN, apiRoot: server.url });
  }

  static async open(): Promise<Connected> {
    const connected = new Connected(await TelegramServer.start());
    await connected.channel.start({
      onMessage: async (message) => {
        if (connected.failures-- > 0 || message.from.id === connected.refused)
          throw new ColloquyError("SERVICE_UNAVAILABLE", "The disk is full");
        connected.received.push(message);
      },
      onProblem: (problem) => connected.problems.push(problem),
      onGap: () => {},
    });
    onTestFinished(() => connected.channel.close());
    return connected;
  }

  async next(count = 1): Promise<ChannelMessage> {
    await until(
      () => this.received.length >= count,
      () => JSON.stringify(this.received),
    );
    return this.received.at(-1) as ChannelMessage;
  }
}

describe("the Telegram channel", () => {
  it("receives direct messages, and answers them", async () => {
    const { server, channel, ...connected } = await Connected.open();
    server.write({ from: ANNA, text: "Hello" });
    await until(() => connected.received.length === 1);
    expect(connected.received[0]).toMatchObject({
      ...{ id: "7:1", from: { id: "7", name: "Anna" }, chatType: "direct", text: "Hello" },
      ...{ to: undefined, threadId: undefined, isAddressed: true, isEdit: false, attachments: [] },
    });
    const address = { channel: "telegram", to: "7" };
    await channel.typing?.(address);
    await channel.send(address, "Good morning", { nonce: "n" });
    await channel.send({ ...address, to: "-100", threadId: "5" }, "In a topic", { nonce: "m" });
    expect(server.sent).toEqual([
      { chat_id: "7", text: "Good morning" },
      { chat_id: "-100", text: "In a topic", message_thread_id: 5 },
    ]);
    expect(server.calls).toContain("sendChatAction");
  });

  it("asks again for a message that could not be kept", async () => {
    const connected = await Connected.open();
    connected.failures = 1;
    connected.server.write({ from: ANNA, text: "first" });
    connected.server.write({ from: ANNA, text: "second" });
    await connected.next(2);
    expect(connected.received.map(({ text }) => text)).toEqual(["first", "second"]);
    expect(connected.problems.map(({ message }) => message)).toEqual(["The disk is full"]);
  });

  it("does not let a chat that cannot be kept stop the others", async () => {
    const connected = await Connected.open();
    connected.refused = "7";
    connected.server.write({ from: ANNA, text: "first" });
    connected.server.write({ from: ANNA, text: "second" });
    connected.server.write({ from: { id: 8, first_name: "Ben" }, text: "other" });
    expect((await connected.next()).text).toBe("other");
    connected.refused = undefined;
    await until(() => connected.received.some(({ text }) => text === "second"));
    const texts = connected.received.map(({ text }) => text).filter((text) => text !== "other");
    expect(texts).toEqual(["first", "second"]);
  });

  it("knows groups, topics, mentions, replies and edits", async () => {
    const connected = await Connected.open();
    const { server } = connected;
    const mention = { type: "mention", offset: 0, length: 11 };
    const texts = [
      { text: "just talking", chat: GROUP },
      { text: "@scribe_bot hi", chat: GROUP, entities: [mention] },
      { text: "mail me@scribe_bot", chat: GROUP, entities: [{ ...mention, type: "email", offset: 5 }] },
      { text: "yes", chat: GROUP, reply_to_message: { from: { id: 42 } } },
      { text: "/new@scribe_bot", chat: GROUP, entities: [{ type: "bot_command", offset: 0, length: 15 }] },
      { text: "topic", chat: GROUP, message_thread_id: 9, is_topic_message: true },
    ];
    for (const text of texts) server.write({ from: ANNA, ...text });
    await connected.next(6);
    expect(connected.received.map(({ isAddressed }) => isAddressed)).toEqual([
      ...[false, true, false, true, true, false],
    ]);
    expect(connected.received.map(({ text }) => text)).toEqual([
      ...["just talking", "hi", "mail me@scribe_bot", "yes", "/new", "topic"],
    ]);
    expect(connected.received[5]).toMatchObject({ chatType: "thread", to: "-100", threadId: "9" });
    const chat = { id: 7, type: "private", first_name: "Anna" };
    server.push({ edited_message: { message_id: 1, date: 0, from: ANNA, chat, text: "better" } });
    expect(await connected.next(7)).toMatchObject({ id: "7:1", text: "better", isEdit: true });
  });

  it("takes what nobody wrote for nothing", async () => {
    const connected = await Connected.open();
    const { server } = connected;
    server.push({ message: { message_id: 1, date: 0, chat: GROUP, new_chat_title: "Port" } });
    server.write({ from: { ...ANNA, is_bot: true } as never, text: "I am a bot" });
    server.push({ my_chat_member: {} });
    server.write({ from: ANNA, text: "a person" });
    expect((await connected.next()).text).toBe("a person");
  });

  it("downloads attachments when they are read", async () => {
    const connected = await Connected.open();
    connected.server.files.set("large", Buffer.from("a photo"));
    const photo = [{ file_id: "small" }, { file_id: "large", file_size: 7 }];
    connected.server.write({ from: ANNA, caption: "Look", photo });
    const { text, attachments = [] } = await connected.next();
    expect([text, attachments[0]?.mediaType, attachments[0]?.size]).toEqual(["Look", "image/jpeg", 7]);
    expect(
      Buffer.from((await connected.channel.download?.(attachments[0]?.ref ?? "")) ?? []).toString(),
    ).toBe("a photo");
  });

  it.each([
    [400, { description: "Bad Request: chat not found" }, "NOT_FOUND"],
    [403, { description: "Forbidden: bot was blocked by the user" }, "FORBIDDEN"],
    [429, { description: "Too Many Requests", parameters: { retry_after: 3 } }, "RATE_LIMITED"],
    [500, { description: "Internal" }, "NETWORK_ERROR"],
  ])("says what %i means, without the token", async (status, body, code) => {
    const { server, channel } = await Connected.open();
    server.failures.push({ method: "sendMessage", status, body });
    const sent = channel.send({ channel: "telegram", to: "7" }, "x", { nonce: "n" });
    const error: unknown = await sent.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify(error) + String(error) + String((error as Error).stack)).not.toContain(
      "test-token",
    );
    if (code === "RATE_LIMITED") expect(error).toMatchObject({ details: { retryAfterMs: 3000 } });
  });

  it("refuses a wrong token with a plain sentence", async () => {
    const server = await TelegramServer.start();
    const channel = telegramChannel({ token: "1:wrong", apiRoot: server.url });
    await expect(
      channel.start({ onMessage: async () => {}, onProblem: () => {}, onGap: () => {} }),
    ).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining("channels.telegram"),
    });
  });
});
