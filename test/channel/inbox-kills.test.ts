import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openStore, textOf } from "../../src/index.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { ChatPlatform } from "../support/servers/chat-platform.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SCRIPT = fileURLToPath(new URL("./bot-process.ts", import.meta.url));

/** A bot in a process. */
class Bot {
  readonly #process: LineProcess;
  #news: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(target: string, url: string, mode = "") {
    const onLine = (): void => {
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    };
    this.#process = new LineProcess(SCRIPT, [target, url, mode], { onLine });
  }

  said(word: string): string[] {
    return this.#process.lines.flatMap((line) =>
      line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : [],
    );
  }

  async heard(word: string, times: number): Promise<void> {
    while (this.said(word).length < times) await this.#news.promise;
  }

  send(...messages: readonly string[]): void {
    for (const message of messages) this.#process.write(message);
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}

const target = (engine: string): string =>
  engine === "sqlite" ? `sqlite:${join(tempFolder(), "agent.db")}` : `jsonl:${join(tempFolder(), "store")}`;

/** As the bot says it, in messages of at most twelve characters. */
const answer = (text: string): string => `An answer to ${text}`;

describe.each(["sqlite", "jsonl"])("a bot on %s that is killed", (engine) => {
  it("answers and delivers every accepted message once, wherever it was", async () => {
    await using platform = await ChatPlatform.start();
    platform.holds = "to in-send";
    const place = target(engine);
    const stages = ["before-serve", "before-answer", "in-answer", "after-answer", "in-send"];
    const messages = stages.map((stage, index) => `m${index} user${index} ${stage}`);
    const killed = new Bot(place, platform.url, "stops");
    killed.send(...messages);
    await killed.heard("accepted", stages.length);
    await killed.heard("stopped", 3);
    await platform.until(({ delivered }) => delivered.some(({ text }) => text === "to in-send"));
    await killed.kill();
    const sent = platform.requests.length;
    platform.holds = undefined;
    const next = new Bot(place, platform.url);
    // The platform does not know that they were accepted.
    next.send(...messages, ...messages);
    await platform.until((now) =>
      stages.every((stage, at) => now.textsTo(`user${at}`).join("") === answer(stage)),
    );
    await next.end();
    for (const [at, stage] of stages.entries())
      expect(platform.textsTo(`user${at}`).join("")).toBe(answer(stage));
    // The message that was not confirmed was sent twice, and dropped by its nonce.
    expect(platform.requests.slice(sent).filter(({ text }) => text === "to in-send")).toHaveLength(1);
    expect(platform.requests).toHaveLength(platform.delivered.length + 1);
    await using store = await openStore(place);
    expect((await store.jobs.list()).items).toEqual([]);
    for (const [at, stage] of stages.entries()) {
      const chat = await store.open(`test:dm:user${at}`);
      const texts = (await chat.messages()).items.map(({ message }) => textOf(message));
      expect(texts.filter((text) => text === stage)).toHaveLength(1);
      expect(texts.filter((text) => text === answer(stage))).toHaveLength(1);
    }
    expect((await store.verify()).findings).toEqual([]);
  });

  it("shares its messages with another one, and no message is answered twice", async () => {
    await using platform = await ChatPlatform.start();
    const place = target(engine);
    const bots = [new Bot(place, platform.url), new Bot(place, platform.url)];
    const messages = Array.from({ length: 12 }, (_, at) => `m${at} user${at % 3} x${at}x`);
    // Duplicates, and in another order.
    bots[0]?.send(...messages, ...messages);
    bots[1]?.send(...messages.toReversed());
    for (const bot of bots) await bot.heard("accepted", messages.length);
    await platform.until(({ delivered }) => delivered.length >= 2 * messages.length);
    for (const bot of bots) await bot.end();
    expect(bots.flatMap((bot) => bot.said("problem"))).toEqual([]);
    const runs = bots.flatMap((bot) => bot.said("run"));
    expect(runs.toSorted()).toEqual(messages.map((_, at) => `test:1:m${at}`).toSorted());
    expect(platform.requests).toHaveLength(platform.delivered.length);
    for (const user of [0, 1, 2]) {
      const said = platform.textsTo(`user${user}`).join("");
      for (let at = user; at < 12; at += 3) expect(said.split(answer(`x${at}x`)), said).toHaveLength(2);
    }
  });
});
