import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/index.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { ChatPlace } from "../cli/chat-place.ts";
import { BIN } from "../cli/run-command.ts";
import type { Script } from "../support/models/model-server.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { DISCORD_TOKEN, DiscordServer } from "../support/servers/discord-server.ts";
import { BOT_TOKEN, TelegramServer } from "../support/servers/telegram-server.ts";
import { until } from "../support/until.ts";

const ANNA = { id: "7", username: "anna" };
const BEN = { id: "8", username: "ben" };
const MENTION = { mentions: [{ id: "42", username: "scribe", discriminator: "0", avatar: null }] };
const INPUT = { euros: 5, note: "```\nAll is well", key: `sk-ant-api03-${"x".repeat(40)}` };
const PAY: Script = (_, index) => (index === 0 ? [{ tool: "pay", input: INPUT }] : [{ text: "Done." }]);

/** The tool may not be repeated, and says in a file that it ran. */
const MONEY = (path: string): string => `
import { appendFileSync } from "node:fs";
export default () => ({ tools: [{
  name: "pay", description: "Pays", inputSchema: { type: "object" },
  run: ({ euros }) => { appendFileSync(${JSON.stringify(path)}, euros + "\\n"); return "Paid"; },
}] });`;

class Scene {
  readonly place: ChatPlace;
  readonly #name: string;

  constructor(place: ChatPlace, name: string) {
    this.place = place;
    this.#name = name;
  }

  static async open(name: string, channel: object, script: Script, approvals: object = {}): Promise<Scene> {
    const place = await ChatPlace.open(script, {
      channels: { [name]: channel },
      approvals: { tools: { pay: "ask" }, ...approvals },
      plugins: { entries: { money: { enabled: true } } },
    });
    onTestFinished(() => place[Symbol.asyncDispose]());
    mkdirSync(join(place.state, "extensions"), { mode: 0o700 });
    writeFileSync(join(place.state, "extensions", "money.mjs"), MONEY(join(place.state, "paid")));
    return new Scene(place, name);
  }

  async bot(): Promise<LineProcess> {
    const env = { ...process.env, COLLOQUY_STATE_DIR: this.place.state };
    const child = new LineProcess(BIN, [this.#name, "--json"], { env });
    onTestFinished(() => child.kill());
    await until(() => child.lines.length > 0);
    return child;
  }

  get paid(): string {
    try {
      return readFileSync(join(this.place.state, "paid"), "utf8");
    } catch {
      return "";
    }
  }

  /** What the log has about questions. */
  async approvals(key: string): Promise<unknown[]> {
    await using store = await openStore(`sqlite:${this.place.state}/conversations.db`, { readonly: true });
    const { items } = await (await store.open(key)).entries();
    const data = items.map((entry) => (entry.kind === "custom" ? entry.data : {}));
    return data.filter((one) => (one as JsonObject).type === "approval");
  }

  /** What the model was told of its call. */
  get result(): string {
    const { messages } = this.place.server.requests[1]?.body ?? {};
    return JSON.stringify(messages);
  }
}

async function discordScene(
  more: object = {},
  approvals: object = {},
): Promise<{ server: DiscordServer; scene: Scene }> {
  const server = await DiscordServer.start();
  const channel = { token: DISCORD_TOKEN, apiRoot: `${server.url}/api`, allowFrom: ["7", "8"], ...more };
  return { server, scene: await Scene.open("discord", channel, PAY, approvals) };
}

describe("a tool that needs an approval, on Discord", () => {
  it("runs after the yes of the user who is answered, and of no other", async () => {
    const { server, scene } = await discordScene({ allowRooms: ["600"] });
    await scene.bot();
    const room = { channel_id: "600", ...MENTION };
    // Written before the question, and received after it.
    const early = server.message(ANNA, "yes", room);
    server.write(ANNA, "<@42> Pay Ben", room);
    await until(() => server.sent.length === 1);
    const [question] = server.sent;
    expect(question?.content).toMatch(
      /^May I use the tool `pay` with this input\?\n```json\n\{\n {2}"euros": 5,/,
    );
    expect(question?.content).toContain("Reply to this message with yes or no within 10 minutes.");
    expect(question?.content).toContain('"note": "\\u0060\\u0060\\u0060\\nAll is well"');
    expect(question?.content).not.toContain("xxxx");
    server.dispatch("MESSAGE_CREATE", early);
    server.write(BEN, "<@42> yes", room);
    server.write({ id: "9", username: "stranger" }, "<@42> yes", room);
    server.write(ANNA, "<@42> yes, but first tell me more", room);
    const edited = server.write(ANNA, "<@42> wait", room);
    const edited_timestamp = new Date().toISOString();
    server.dispatch("MESSAGE_UPDATE", { ...edited, content: "<@42> yes", edited_timestamp });
    server.write(ANNA, "<@42> /history", room);
    await until(() => server.sent.length === 2);
    expect(scene.paid).toBe("");
    const approval = server.write(ANNA, "<@42> yes", room);
    await until(() => scene.place.server.requests.length > 1);
    expect(scene.paid).toBe("5\n");
    expect(scene.result).toContain("Paid");
    const given = { answer: "yes", by: "7", messageId: approval.id };
    const call = expect.any(String);
    expect(await scene.approvals("discord:channel:600")).toEqual([
      { type: "approval", tool: "pay", call, ...given },
    ]);
  });

  it("does not run after a no, and a repeated yes approves nothing later", async () => {
    const { server, scene } = await discordScene();
    await scene.bot();
    server.write(ANNA, "Pay Ben");
    await until(() => server.sent.length === 1);
    expect(server.sent[0]?.content).toContain("Answer yes or no within 10 minutes.");
    server.write(ANNA, "No");
    await until(() => server.sent.length === 2);
    expect([scene.paid, server.sent[1]?.content]).toEqual(["", "Done."]);
    expect(scene.result).toContain("the user did not allow it");
    server.write(ANNA, "/approve");
    await until(() => server.sent.length === 3);
    expect(server.sent[2]?.content).toBe("There is no question that you can answer.");
    expect(scene.place.server.requests).toHaveLength(2);
  });

  it("is asked about again by a process that continues after a kill", async () => {
    const { server, scene } = await discordScene();
    const killed = await scene.bot();
    server.write(ANNA, "Pay Ben");
    await until(() => server.sent.length === 1);
    await killed.kill();
    // Nobody receives this one: it answers the question of a process that is gone.
    const late = server.message(ANNA, "yes");
    await Promise.all([scene.bot(), scene.bot()]);
    await until(() => server.sent.length === 2);
    expect(server.sent[1]?.content).toBe(server.sent[0]?.content);
    server.dispatch("MESSAGE_CREATE", late);
    server.write(ANNA, "/history");
    await until(() => server.sent.length === 3);
    expect(scene.paid).toBe("");
    const { id: messageId } = server.write(ANNA, "yes");
    await until(() => server.sent.some(({ content }) => content === "Done."));
    expect(scene.paid).toBe("5\n");
    expect(await scene.approvals("discord:dm:7")).toMatchObject([{ messageId }]);
  });

  it("does not run without an answer, or where nobody may answer", async () => {
    const { server, scene } = await discordScene({}, { timeoutSeconds: 1 });
    await scene.bot();
    server.write(ANNA, "Pay Ben");
    await until(() => server.sent.length === 2);
    expect([scene.paid, server.sent[1]?.content]).toEqual(["", "Done."]);
    expect(scene.result).toContain("who did not answer");
    const other = await discordScene({ allowFrom: ["*"] });
    await other.scene.bot();
    other.server.write(ANNA, "Pay Ben");
    await until(() => other.server.sent.length === 1);
    expect([other.scene.paid, other.server.sent[0]?.content]).toEqual(["", "Done."]);
    expect(other.scene.result).toContain("cannot be asked here");
  });
});

it("asks on Telegram, where times are in seconds", async () => {
  const server = await TelegramServer.start();
  const channel = { token: BOT_TOKEN, apiRoot: server.url, allowFrom: ["7"] };
  const scene = await Scene.open("telegram", channel, PAY);
  await scene.bot();
  const from = { id: 7, first_name: "Anna" };
  const nowSec = Math.floor(Date.now() / 1000);
  server.write({ from, text: "Pay Ben" });
  await until(() => server.sent.length === 1);
  // In the same second as the question, or before: it is a message like any other.
  server.write({ from, text: "yes", date: nowSec - 5 });
  server.write({ from, text: "/approve", date: nowSec + 60 });
  await until(() => server.sent.length >= 2);
  expect([scene.paid, server.sent[1]?.text]).toEqual(["5\n", "Done."]);
  await until(() => server.sent.length === 3);
  expect(server.sent[2]?.text).toBe("Done.");
});
