import { describe, expect, it, onTestFinished } from "vitest";
import { type Channel, type ChannelMessage, discordChannel } from "../../src/channel/index.ts";
import { ColloquyError } from "../../src/errors.ts";
import { DISCORD_TOKEN, DiscordServer } from "../support/servers/discord-server.ts";
import { until } from "../support/until.ts";

const ANNA = { id: "7", username: "anna" };

class Connected {
  readonly received: ChannelMessage[] = [];
  readonly problems: ColloquyError[] = [];
  readonly server: DiscordServer;
  readonly channel: Channel;
  /** As if the store could not keep the next messages. */
  failures = 0;

  constructor(server: DiscordServer) {
    this.server = server;
    this.channel = discordChannel({
      token: DISCORD_TOKEN,
      apiRoot: `${server.url}/api`,
      fileRoots: [server.url],
    });
  }

  static async open(): Promise<Connected> {
    const connected = new Connected(await DiscordServer.start());
    await connected.channel.start({
      onMessage: async (message) => {
        if (connected.failures-- > 0) throw new ColloquyError("SERVICE_UNAVAILABLE", "The disk is full");
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
      () => JSON.stringify([this.received, this.problems]),
    );
    return this.received.at(-1) as ChannelMessage;
  }
}

describe("the Discord channel", () => {
  it("receives direct messages, and answers them without pinging anyone", async () => {
    const connected = await Connected.open();
    const { server, channel } = connected;
    server.write(ANNA, "Hello");
    expect(await connected.next()).toMatchObject({
      ...{ from: { id: "7", name: "anna" }, chatType: "direct", text: "Hello", isAddressed: true },
      ...{ isEdit: false, attachments: [] },
    });
    const address = { channel: "discord", to: "7" };
    await channel.typing?.(address);
    await channel.send(address, "Good morning @everyone", { nonce: "entry/0" });
    await channel.send(address, "Good morning @everyone", { nonce: "entry/0" });
    expect(server.sent.map(({ channel: room, content }) => [room, content])).toEqual([
      ["97", "Good morning @everyone"],
    ]);
    expect(server.sent[0]?.nonce).toMatch(/^[0-9a-f]{25}$/);
    const body = server.bodies.find(({ content }) => content !== undefined);
    expect(body).toMatchObject({ enforce_nonce: true, allowed_mentions: { parse: [] } });
    expect(server.requests).toContain("POST /channels/97/typing");
  });

  it("knows channels, threads, mentions and replies", async () => {
    const connected = await Connected.open();
    const { server } = connected;
    const mentions = [{ id: "42", username: "scribe", discriminator: "0", bot: true }];
    server.write(ANNA, "just talking", { channel_id: "600" });
    server.write(ANNA, "<@42> what now?", { channel_id: "600", mentions });
    server.write(ANNA, "in a thread", { channel_id: "700" });
    await connected.next(3);
    const facts = connected.received.map(({ text, chatType, to, threadId, groupId, isAddressed }) => [
      ...[text, chatType, to, threadId, groupId, isAddressed],
    ]);
    // Only messages of one place have an order.
    expect(facts.sort()).toEqual([
      ["in a thread", "thread", "600", "700", "500", false],
      ["just talking", "channel", "600", undefined, "500", false],
      ["what now?", "channel", "600", undefined, "500", true],
    ]);
    await connected.channel.send({ channel: "discord", to: "600", threadId: "700" }, "Yes", { nonce: "n" });
    expect(server.sent[0]).toMatchObject({ channel: "700", content: "Yes" });
  });

  it("leaves out bots and webhooks, and reports edits of texts only", async () => {
    const connected = await Connected.open();
    const { server } = connected;
    server.write({ id: "8", username: "robot", bot: true }, "I am a bot");
    server.write(ANNA, "a hook", { webhook_id: "5" });
    const message = server.write(ANNA, "first version");
    await connected.next();
    server.dispatch("MESSAGE_UPDATE", { ...message, embeds: [{ title: "A preview" }] });
    const edited = { ...message, content: "second version", edited_timestamp: new Date().toISOString() };
    server.dispatch("MESSAGE_UPDATE", edited);
    expect(await connected.next(2)).toMatchObject({ text: "second version", isEdit: true });
    expect(connected.received).toHaveLength(2);
  });

  it("takes slash commands for messages, and confirms them at once", async () => {
    const connected = await Connected.open();
    const { server } = connected;
    expect(server.requests.some((request) => request.startsWith("PUT /applications/42/commands"))).toBe(true);
    server.dispatch("INTERACTION_CREATE", {
      ...{ id: server.newId(), application_id: "42", type: 2, token: "t", version: 1, channel_id: "97" },
      ...{ user: { ...ANNA, discriminator: "0" }, data: { id: "1", name: "new", type: 1 }, entitlements: [] },
      ...{ locale: "en-US", channel: { id: "97", type: 1 }, authorizing_integration_owners: {} },
    });
    expect(await connected.next()).toMatchObject({ text: "/new", chatType: "direct", isAddressed: true });
    expect(server.requests.some((request) => /^POST \/interactions\/\d+\/t\/callback/.test(request))).toBe(
      true,
    );
  });

  it("keeps messages in their order, and tries again when one cannot be kept", async () => {
    const connected = await Connected.open();
    connected.failures = 2;
    connected.server.write(ANNA, "first");
    connected.server.write(ANNA, "second");
    await connected.next(2);
    expect(connected.received.map(({ text }) => text)).toEqual(["first", "second"]);
    expect(connected.problems.map(({ message }) => message)).toEqual([
      "The disk is full",
      "The disk is full",
    ]);
  });

  it("resumes after a break, and gets what was written meanwhile", async () => {
    const connected = await Connected.open();
    const { server } = connected;
    server.write(ANNA, "before");
    await connected.next();
    server.disconnect();
    server.write(ANNA, "meanwhile");
    expect((await connected.next(2)).text).toBe("meanwhile");
    expect(server.resumes).toBe(1);
    server.replay(0);
    server.write(ANNA, "after");
    await until(() => connected.received.some(({ text }) => text === "after"));
    // A repeated message has the same id, so an inbox stores it once.
    const [first, ...others] = connected.received.filter(({ text }) => text === "before");
    expect(others.every(({ id }) => id === first?.id)).toBe(true);
  });

  it("downloads attachments from Discord only, also after a restart", async () => {
    const connected = await Connected.open();
    const { server, channel } = connected;
    server.files.set("a.png", Buffer.from("a picture"));
    const file = { id: "1", filename: "a.png", content_type: "image/png", size: 9, proxy_url: "" };
    const attachments = [
      { ...file, url: `${server.url}/files/a.png` },
      { ...file, id: "2", url: "https://evil.example/a.png" },
    ];
    server.write(ANNA, "", { attachments });
    const { attachments: [own, other] = [] } = await connected.next();
    expect([own?.name, own?.mediaType, own?.size]).toEqual(["a.png", "image/png", 9]);
    const next = new Connected(server);
    await next.channel.start({ onMessage: async () => {}, onProblem: () => {}, onGap: () => {} });
    onTestFinished(() => next.channel.close());
    for (const one of [channel, next.channel]) {
      expect(Buffer.from((await one.download?.(own?.ref ?? "")) ?? []).toString()).toBe("a picture");
      await expect(one.download?.(other?.ref ?? "")).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
    await expect(next.channel.download?.("97/1/1")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it.each([
    [404, { code: 10003, message: "Unknown Channel" }, "NOT_FOUND"],
    [403, { code: 50007, message: "Cannot send messages to this user" }, "FORBIDDEN"],
    [400, { code: 50035, message: "Invalid Form Body" }, "NETWORK_ERROR"],
  ])("says what %i means, without the token", async (status, body, code) => {
    const { server, channel } = await Connected.open();
    server.failures.push({ request: "POST /channels/97/messages", status, body });
    const sent = channel.send({ channel: "discord", to: "7" }, "x", { nonce: "n" });
    const error: unknown = await sent.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain("discord-token");
  });

  it("refuses a wrong token with a plain sentence", async () => {
    const server = await DiscordServer.start();
    const channel = discordChannel({ token: "wrong.token.here", apiRoot: `${server.url}/api` });
    await expect(
      channel.start({ onMessage: async () => {}, onProblem: () => {}, onGap: () => {} }),
    ).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining("channels.discord"),
    });
  });
});
