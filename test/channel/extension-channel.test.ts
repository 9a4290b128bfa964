import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ChatPlace } from "../cli/chat-place.ts";
import { BIN } from "../cli/run-command.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { until } from "../support/until.ts";

/** A channel whose platform is a folder: it reads letters from one file, and writes to another. */
const PIGEON = `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

function pigeon(folder, accountId) {
  let timer;
  return {
    name: "pigeon", accountId, charsMax: 100,
    async start({ onMessage }) {
      const path = join(folder, "letters");
      let read = 0;
      timer = setInterval(async () => {
        const lines = existsSync(path) ? readFileSync(path, "utf8").split("\\n").slice(0, -1) : [];
        for (; read < lines.length; read++) await onMessage(JSON.parse(lines[read]));
      }, 20);
    },
    async send({ to }, text) { appendFileSync(join(folder, "sent"), accountId + " " + to + " " + text + "\\n"); },
    async close() { clearInterval(timer); },
  };
}
export default ({ config }) => ({ channels: [pigeon(config.folder, "north"), pigeon(config.folder, "default")] });
`;

async function scene(channel: object): Promise<ChatPlace> {
  const place = await ChatPlace.open(
    ({ body }) => [{ text: `To ${JSON.stringify(body.messages).length > 0}` }],
    {
      channels: { pigeon: channel },
    },
  );
  onTestFinished(() => place[Symbol.asyncDispose]());
  const config = join(place.state, "colloquy.json");
  const plugins = { entries: { birds: { enabled: true, config: { folder: place.state } } } };
  writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, "utf8")), plugins }));
  mkdirSync(join(place.state, "extensions"), { mode: 0o700 });
  writeFileSync(join(place.state, "extensions", "birds.mjs"), PIGEON);
  return place;
}

function sent(place: ChatPlace): string[] {
  try {
    return readFileSync(join(place.state, "sent"), "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}

it("runs a channel of an extension, with the settings of the config", async () => {
  const place = await scene({
    allowFrom: ["anna"],
    accounts: { north: { allowFrom: ["ben"] } },
  });
  const env = { ...process.env, COLLOQUY_STATE_DIR: place.state };
  const write = (id: string, from: string): void => {
    const letter = { id, from: { id: from }, text: "Hello", chatType: "direct", isAddressed: true };
    appendFileSync(join(place.state, "letters"), `${JSON.stringify(letter)}\n`);
  };
  write("1", "anna");
  write("2", "ben");
  const [bot, north] = [
    ["channel", "pigeon"],
    ["channel", "pigeon", "--account", "north"],
  ].map((args) => new LineProcess(BIN, [...args, "--json"], { env })) as [LineProcess, LineProcess];
  onTestFinished(() => Promise.all([bot.kill(), north.kill()]).then(() => {}));
  await until(
    () => sent(place).length === 4,
    () => sent(place).join("\n"),
  );
  expect(sent(place).sort()).toEqual([
    "default anna To true",
    expect.stringMatching(/^default ben I may not answer you/),
    expect.stringMatching(/^north anna I may not answer you/),
    "north ben To true",
  ]);
  expect(bot.lines.map((line) => JSON.parse(line))).toEqual([
    { channel: "pigeon", account: "default", pid: bot.pid },
  ]);
  bot.signal("SIGINT");
  expect((await bot.closed).code).toBe(0);
});

it("says which channels there are", async () => {
  const place = await scene({ enabled: false });
  const failure = async (...args: string[]) => (await place.failure(["channel", ...args])).error.message;
  expect(await failure("matrix")).toBe(
    "There is no channel matrix. There are discord, telegram, pigeon; extensions can add others",
  );
  expect(await failure("pigeon", "--account", "south")).toBe("The channel pigeon has no account south");
  expect(await failure("pigeon")).toBe("channels.pigeon is not enabled in the config");
  expect(await failure("discord")).toMatch("There is no token");
});
