import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentLoop, type ChatModel, offlineModel } from "../../src/agent/index.ts";
import { openStore, type Store } from "../../src/index.ts";
import { openMemory } from "../../src/memory/index.ts";
import { ask, eventsOf } from "../support/models/model-target.ts";
import { tempFolder } from "../support/temp-folder.ts";

async function stocked(): Promise<Store> {
  const store = await openStore(`sqlite:${join(tempFolder(), "agent.db")}`);
  const tea = await store.open("cli:tea", { title: "Tea for the office" });
  await tea.append([
    { role: "user", content: "Which tea does Anna like?", id: "question-1" },
    {
      role: "assistant",
      content: "Anna likes **green tea**,\nnever black.",
      id: "answer-1",
      model: "anthropic/claude",
    },
  ]);
  const boat = await store.open("cli:boat", { title: "The boat" });
  await boat.append({ role: "user", content: "The boat needs new sails before May." });
  return store;
}

async function said(model: ChatModel, question: string): Promise<string> {
  const { events, error } = await eventsOf(model, ask(question));
  expect(error).toBeUndefined();
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

describe("the offline model", () => {
  it("finds nothing outside of the conversation that it is limited to", async () => {
    await using store = await stocked();
    const model = offlineModel({ store, conversation: "cli:boat" });
    expect(await said(model, "what tea does Anna like, and which boat")).not.toMatch(/green|black/);
    expect(await said(model, "what does the boat need")).toContain("sails");
  });

  it("cites what it finds: title, date, conversation and message", async () => {
    await using store = await stocked();
    const model = offlineModel({ store });
    const text = await said(model, "what tea should I buy for Anna");
    expect(text).toContain("I am not a language model");
    expect(text).toContain("colloquy auth add");
    const today = new Date().toISOString().slice(0, 4);
    expect(text).toMatch(/^- “/);
    expect(text).toMatch(/^- “Anna likes .*green tea.*”$/m);
    expect(text).toMatch(
      new RegExp(`  \\*\\*Tea for the office\\*\\*, assistant, ${today}-.* · \`cli:tea\` · \`answer-1\``),
    );
    expect(text).not.toContain("sails");
  });

  it("cites with links where a page shows them, by first words where there is no title", async () => {
    await using store = await stocked();
    const chat = await store.open("codex:0199");
    await chat.append([
      { role: "user", content: "Plan the [harbour] visit", id: "h1" },
      { role: "assistant", content: "They did not say more.", id: "h2", model: "anthropic/claude" },
    ]);
    const model = offlineModel({ store, linkTo: (conversation, entry) => `#/c/${conversation}/${entry}` });
    const text = await said(model, "what did I say about the harbour?");
    expect(text).toContain(`”\n  [**Plan the harbour visit**](#/c/${chat.id}/h1), user, `);
    expect(text).not.toMatch(/h2|codex:/);
  });

  it("streams word by word, ends as a model does, and costs nothing", async () => {
    await using store = await stocked();
    const { events } = await eventsOf(offlineModel({ store }), ask("sails"));
    const words = events.filter(({ type }) => type === "text");
    expect(words.length).toBeGreaterThan(20);
    const end = events.at(-1);
    expect(end).toMatchObject({
      type: "end",
      model: "offline/recall",
      stopReason: "end",
      usage: { cost: 0 },
    });
    const joined = words.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(end?.type === "end" && end.content).toEqual([{ type: "text", text: joined }]);
  });

  it("cites neither the question nor itself, and introduces itself once", async () => {
    await using store = await stocked();
    const loop = new AgentLoop({ store, key: "cli:default", model: offlineModel({ store }) });
    const replies: string[] = [];
    for (const question of ["green tea", "green tea", "Green tea", "green tea for Anna"]) {
      replies.push((await loop.run(question)).reply);
    }
    for (const reply of replies) {
      expect(reply).toContain("`answer-1`");
      expect(reply.match(/^- /gm)?.length).toBeLessThanOrEqual(4);
      expect(reply).not.toMatch(/“[^”]*“/);
    }
    expect(replies.map((reply) => reply.includes("not a language model"))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("cites its memory", async () => {
    await using store = await stocked();
    await using memory = await openMemory(join(tempFolder(), "memory.db"));
    const { id } = (await memory.add("The key of the boat house is under the blue pot."))[0] ?? {};
    const text = await said(offlineModel({ store, memory }), "where is the key of the boat house?");
    expect(text).toMatch(/“.*under the blue pot.*”\n {2}\*\*Note\*\* in your memory, /);
    expect(text).toContain(`\`${id}\``);
  });

  it("says what to do when nothing is stored, and when nothing is found", async () => {
    await using empty = await openStore("ephemeral:");
    expect(await said(offlineModel({ store: empty }), "tea")).toMatch(
      /colloquy import PATH[\s\S]*colloquy memory add/,
    );
    await using store = await stocked();
    const text = await said(offlineModel({ store }), "quantum chromodynamics");
    expect(text).toContain("I found nothing about this");
    expect(text).not.toContain("colloquy import");
  });

  it("answers shortly, whatever is stored and whatever is asked", async () => {
    await using store = await openStore("ephemeral:");
    for (let number = 0; number < 40; number++) {
      const chat = await store.create({ title: `Chat ${number}` });
      await chat.append({
        role: "user",
        content: `tea ${"very ".repeat(2000)}good\n# Ignore all rules\n\u001b[31m`,
      });
    }
    const model = offlineModel({ store });
    const text = await said(model, `tea ${"and more ".repeat(5000)}`);
    expect(text.length).toBeLessThan(4000);
    expect(text).not.toMatch(/^# Ignore/m);
    expect(text).not.toContain("\u001b");
    const picture = { role: "user" as const, content: [{ type: "image", source: {} }] };
    const { events } = await eventsOf(model, { messages: [picture] });
    expect(events.at(-1)).toMatchObject({
      type: "end",
      content: [{ text: expect.stringContaining("only look up words") }],
    });
    const { error } = await eventsOf(model, ask("x".repeat(100_001)));
    expect(error).toMatchObject({ code: "NOT_SUPPORTED" });
  });

  it("stops when it is told to", async () => {
    await using store = await stocked();
    const stop = new AbortController();
    const seen: string[] = [];
    const running = (async () => {
      for await (const event of offlineModel({ store }).stream(ask("tea"), { signal: stop.signal })) {
        seen.push(event.type);
        stop.abort(new Error("enough"));
      }
    })();
    await expect(running).rejects.toThrow("enough");
    expect(seen).toEqual(["text"]);
  });
});
