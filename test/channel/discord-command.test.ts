import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/index.ts";
import { ChatPlace } from "../cli/chat-place.ts";
import { BIN } from "../cli/run-command.ts";
import type { Script } from "../support/models/model-server.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { DISCORD_TOKEN, DiscordServer } from "../support/servers/discord-server.ts";
import { until } from "../support/until.ts";

const ANNA = { id: "7", username: "anna" };
const MENTION = { mentions: [{ id: "42", username: "scribe", discriminator: "0", avatar: null }] };

/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface Scene {
  readonly place: ChatPlace;
  readonly server: DiscordServer;
  /** `colloquy discord`, connected. */
  bot(): Promise<LineProcess>;
}

async function scene(script: Script): Promise<Scene> {
  const server = await DiscordServer.start();
  const discord = { token: DISCORD_TOKEN, apiRoot: `${server.url}/api`, allowFrom: ["7"] };
  const place = await ChatPlace.open(script, { channels: { discord } });
  onTestFinished(() => place[Symbol.asyncDispose]());
  const bot = async (): Promise<LineProcess> => {
    const env = { ...process.env, COLLOQUY_STATE_DIR: place.state };
    const child = new LineProcess(BIN, ["discord", "--json"], { env });
    onTestFinished(() => child.kill());
    let hasEnded = false;
    void child.closed.then(() => {
      hasEnded = true;
    });
    await until(() => child.lines.length > 0 || hasEnded);
    expect(hasEnded).toBe(false);
    return child;
  };
  return { place, server, bot };
}

describe("colloquy discord", () => {
  it("answers allowed users once, in rooms when it is mentioned, across disconnections", async () => {
    const { place, server, bot } = await scene([
      [{ text: "One." }],
      [{ text: "Two." }],
      [{ text: "Three." }],
    ]);
    await bot();
    server.write(ANNA, "Hello");
    const first = server.eventCount - 1;
    await until(() => server.sent.length === 1);
    server.replay(first);
    server.write({ id: "8", username: "anna" }, "Let me in");
    await until(() => server.sent.length === 2);
    server.disconnect();
    await until(() => server.resumes === 1);
    server.write(ANNA, "Nobody asked", { channel_id: "600" });
    server.write(ANNA, "<@42> In the room", { channel_id: "600", ...MENTION });
    server.replay(first);
    await until(() => server.sent.length === 3);
    server.write(ANNA, "/new");
    await until(() => server.sent.length === 4);
    server.write(ANNA, "Fresh");
    await until(() => server.sent.length === 5);
    expect(server.sent.map(({ channel, content }) => `${channel} ${content}`)).toEqual([
      "97 One.",
      expect.stringMatching(/^98 I may not answer you\. Your id is 8/),
      "600 Two.",
      expect.stringMatching(/^97 A new conversation begins/),
      "97 Three.",
    ]);
    // In a room, others read the answer: what is yours is out of reach.
    const [direct, room] = place.server.requests.map(({ body }) => JSON.stringify(body.tools));
    expect([direct?.includes('"recall"'), room?.includes('"recall"')]).toEqual([true, false]);
    expect([direct?.includes('"search_conversations"'), room?.includes('"forget"')]).toEqual([true, false]);
    await using store = await openStore(`sqlite:${place.state}/conversations.db`, { readonly: true });
    const keys = (await store.list()).items.map(({ key }) => key?.replace(/~.*/, "~")).sort();
    expect(keys).toEqual(["discord:channel:600", "discord:dm:7", "discord:dm:7~"]);
  });

  it("is killed while it answers, and two others answer once in its place", async () => {
    const { server, bot, place } = await scene([
      [{ text: "Half an " }, { fault: "hang" }],
      [{ text: "A whole answer." }],
    ]);
    const killed = await bot();
    server.write(ANNA, "Hello");
    await until(() => place.server.requests.length === 1);
    await killed.kill();
    await Promise.all([bot(), bot()]);
    await until(() => server.sent.length > 0);
    // The same event for both, as Discord sends it to every connection.
    server.replay(server.eventCount - 1);
    server.write(ANNA, "/history");
    await until(() => server.sent.some(({ content }) => content.startsWith("You:")));
    const answers = server.sent.filter(({ content }) => !content.startsWith("You:"));
    expect(answers.map(({ content }) => content)).toEqual(["A whole answer."]);
  });

  it("keeps a message whose file it was downloading when it was killed", async () => {
    const { server, bot, place } = await scene([[{ text: "A harbour." }]]);
    const killed = await bot();
    const file = { id: "1", filename: "a.png", content_type: "image/png", size: 9, proxy_url: "" };
    server.write(ANNA, "What is this?", { attachments: [{ ...file, url: `${server.url}/files/a.png` }] });
    await until(() => server.downloads === 1);
    await killed.kill();
    server.files.set("a.png", Buffer.from(PNG, "base64"));
    await bot();
    await until(() => server.sent.length === 1);
    expect(server.sent[0]?.content).toBe("A harbour.");
    const [request] = place.server.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(request).toContain("What is this?");
    expect(request).toContain(PNG);
  });

  it("answers what was written while it was not connected, once", async () => {
    const { server, bot, place } = await scene(({ body }) => [
      { text: `To ${JSON.stringify((body.messages as object[]).at(-1))}` },
    ]);
    const first = await bot();
    server.write(ANNA, "one");
    server.write(ANNA, "<@42> two", { channel_id: "600", ...MENTION });
    await until(() => server.sent.length === 2);
    await first.kill();
    server.write(ANNA, "three");
    server.write(ANNA, "not for the agent", { channel_id: "600" });
    server.write(ANNA, "<@42> four", { channel_id: "600", ...MENTION });
    await Promise.all([bot(), bot()]);
    await until(() => server.sent.length === 4);
    server.forgets = true;
    server.disconnect();
    server.write(ANNA, "five");
    await until(() => server.sent.length === 5);
    server.write(ANNA, "/history");
    await until(() => server.sent.length === 6);
    const words = server.sent.slice(0, 5).map(({ content }) => /"content":"(\w+)"/.exec(content)?.[1]);
    expect(words.slice(0, 4).sort()).toEqual(["four", "one", "three", "two"]);
    expect([words[4], place.server.requests.length]).toEqual(["five", 5]);
  });

  it("searches for a room only what was said there", async () => {
    const { server, bot, place } = await scene([
      [{ tool: "search_conversations", input: { query: "harbour OR channel:cli" } }],
      [{ text: "Nothing." }],
    ]);
    {
      await using store = await openStore(`sqlite:${place.state}/conversations.db`);
      await (await store.open("cli:default")).append({ role: "user", content: "The harbour code is 4711" });
    }
    await bot();
    server.write(ANNA, "<@42> What is the code of the harbour?", { channel_id: "600", ...MENTION });
    await until(() => server.sent.length === 1);
    const [, second] = place.server.requests.map(({ body }) => JSON.stringify(body));
    expect(second).toContain("search_conversations");
    expect(second).not.toContain("4711");
  });
});
