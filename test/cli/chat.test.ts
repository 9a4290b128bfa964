import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { has, lacks } from "../process/child-process.ts";
import { ChatPlace } from "./chat-place.ts";
import type { Printed } from "./run-command.ts";

const ENTER = "\r";
const CTRL_C = "\u0003";
const never = new Promise(() => {});

describe.skipIf(lacks(has("script"), "chat on a terminal: script is not installed"))("chat", () => {
  it("streams Markdown as it arrives, in colour, and keeps the conversation", async () => {
    const { promise: second, resolve: continueAnswer } = Promise.withResolvers<void>();
    await using place = await ChatPlace.open([
      [{ text: "# Title\n\nThe **first" }, { text: "** part." }, { until: second }, { text: " The end." }],
    ]);
    await using chat = place.chat();
    await chat.shows(/^cli:default · a new conversation · local\/small · \/help\n\n>$/);
    chat.type(`Tell me${ENTER}`);
    await chat.shows("Title\n\nThe first part.");
    expect(chat.output).toContain("\u001b[1mfirst\u001b[22m");
    expect(chat.screen).not.toContain("The end.");
    continueAnswer();
    await chat.shows(/The first part\. The end\.\n\n>$/);
    chat.type("/quit\r");
    expect(await chat.ended()).toBe(0);
    expect(chat.screen).toMatch(/To continue: colloquy chat$/);
    await using again = place.chat();
    await again.shows("cli:default · 2 messages");
  });

  it("stops an answer at Ctrl-C, keeps its part, and leaves at the second one", async () => {
    await using place = await ChatPlace.open([
      [{ text: "Half an answer" }, { until: never }],
      [{ text: "More." }],
    ]);
    await using chat = place.chat();
    await chat.shows(/>$/);
    chat.type(`Begin${ENTER}`);
    await chat.shows("Half an answer");
    chat.type(CTRL_C);
    await chat.shows(/Half an answer\n\(stopped\)\n\n>$/);
    chat.type(`Continue${ENTER}`);
    await chat.shows(/More\.\n\n>$/);
    chat.type(CTRL_C);
    await chat.shows("Press Ctrl-C again to leave");
    chat.type(CTRL_C);
    expect(await chat.ended()).toBe(0);
    const { messages } = await place.json(["sessions", "history", "cli:default"]);
    expect(messages.map(({ text, endState }: Printed) => [text, endState])).toEqual([
      ["Begin", undefined],
      ["Half an answer", "stopped"],
      ["Continue", undefined],
      ["More.", "finished"],
    ]);
  });

  it("leaves at once when Ctrl-C is pressed twice during an answer", async () => {
    await using place = await ChatPlace.open([[{ text: "Half" }, { until: never }]]);
    await using chat = place.chat();
    await chat.shows(/>$/);
    chat.type(`Begin${ENTER}`);
    await chat.shows("Half");
    chat.type(CTRL_C + CTRL_C);
    expect(await chat.ended()).toBe(0);
    const { messages } = await place.json(["sessions", "history", "cli:default"]);
    expect(messages.at(-1).text).toBe("Half");
  });

  it("sends several lines as one message, and remembers what was typed", async () => {
    await using place = await ChatPlace.open([[{ text: "One." }], [{ text: "Two." }], [{ text: "Three." }]]);
    {
      await using chat = place.chat();
      await chat.shows(/>$/);
      chat.type(`first\\${ENTER}second\u001b\rthird${ENTER}`);
      await chat.shows(/One\.\n\n>$/);
      chat.type("\u001b[200~pasted\rlines\u001b[201~");
      await chat.shows("> pasted\n  lines");
      chat.type(ENTER);
      await chat.shows(/Two\.\n\n>$/);
      chat.type("\u0004");
      expect(await chat.ended()).toBe(0);
    }
    const { messages } = await place.json(["sessions", "history", "cli:default"]);
    expect([messages[0].text, messages[2].text]).toEqual(["first\nsecond\nthird", "pasted\nlines"]);
    expect(statSync(join(place.state, "chat-history.jsonl")).mode & 0o777).toBe(0o600);
    await using chat = place.chat();
    await chat.shows(/>$/);
    chat.type("\u001b[A");
    await chat.shows("> pasted\n  lines");
    chat.type("\u001b[A\u001b[A");
    await chat.shows("> first\n  second\n  third");
    chat.type(`!${ENTER}`);
    await chat.shows("Three.");
  });

  it("completes and runs commands", async () => {
    await using place = await ChatPlace.open([
      [{ text: "Tea is ready." }],
      [{ text: "From the large one." }],
    ]);
    await using chat = place.chat();
    await chat.shows(/>$/);
    chat.type("/hi\t");
    await chat.shows("> /history");
    chat.type(ENTER);
    await chat.shows("There are no messages yet.");
    chat.type(`Make tea${ENTER}`);
    await chat.shows(/Tea is ready\.\n\n>$/);
    chat.type("/h\t\t");
    await chat.shows("/history  /help");
    chat.type(`elp${ENTER}`);
    await chat.shows("/compact");
    chat.type(`/branch other${ENTER}`);
    await chat.shows("the new branch other now");
    chat.type(`/tree${ENTER}`);
    await chat.shows("* └─ other");
    chat.type(`/branch main${ENTER}`);
    await chat.shows("You are on main now.");
    chat.type(`/search tea${ENTER}`);
    await chat.shows("To open one: /sessions #1");
    chat.type("/model local/l\t");
    await chat.shows("> /model local/large");
    chat.type(ENTER);
    await chat.shows("local/large answers in this session from now on.");
    chat.type(`And now?${ENTER}`);
    await chat.shows("From the large one.");
    expect(place.server.requests.map(({ body }) => body.model)).toEqual(["small", "large"]);
    chat.type(`/nwe${ENTER}`);
    await chat.shows("Did you mean /new?");
    chat.type(`/sessions work${ENTER}`);
    await chat.shows("You are in cli:work now: a new conversation.");
    chat.type(`/sessions cli:default${ENTER}`);
    await chat.shows("You are in cli:default now: 4 messages.");
    chat.type(`/new${ENTER}`);
    await chat.shows("A new conversation begins here.");
    chat.type(`/compact${ENTER}`);
    await chat.shows("There is too little to summarise.");
  });

  it.each(["/new", "/clear"])(
    "begins a conversation after %s that does not know the former one",
    async (typed) => {
      await using place = await ChatPlace.open([[{ text: "To you too." }], [{ text: "Have we met?" }]]);
      await using chat = place.chat();
      await chat.shows(/>$/);
      chat.type(`Good morning${ENTER}`);
      await chat.shows("To you too.");
      chat.type(`${typed}${ENTER}`);
      await chat.shows(/begins here\..*>$/s);
      chat.type(`Who am I?${ENTER}`);
      await chat.shows("Have we met?");
      expect(JSON.stringify(place.server.requests[1]?.body.messages)).not.toContain("Good morning");
      const { messages } = await place.json(["sessions", "history", "cli:default"]);
      expect(messages.map(({ text }: Printed) => text)).toEqual(["Who am I?", "Have we met?"]);
    },
  );

  it("follows the width of the terminal", async () => {
    const words = "one two three four five six seven eight nine ten";
    await using place = await ChatPlace.open([[{ text: words }], [{ text: words }]]);
    await using chat = place.chat([], { columns: 60 });
    await chat.shows(/>$/);
    chat.type(`Count${ENTER}`);
    await chat.shows(`${words}\n\n>`);
    chat.resize(24);
    chat.type(`again${ENTER}`);
    await chat.shows("one two three four five\nsix seven eight nine\nten");
  });

  it("has no colours where they are not wanted", async () => {
    await using place = await ChatPlace.open([[{ text: "# A\n**b**" }]]);
    await using chat = place.chat([], { env: { NO_COLOR: "1" } });
    await chat.shows(/>$/);
    chat.type(`Hi${ENTER}`);
    await chat.shows("# A\n**b**\n\n>");
    expect(chat.output).not.toMatch(COLOUR);
  });

  it("shows why a model did not answer, and continues", async () => {
    await using place = await ChatPlace.open([
      { status: 400, message: "No \u001b[2Jtea" },
      [{ text: "Tea." }],
    ]);
    await using chat = place.chat(["--session", "work"]);
    await chat.shows(/^cli:work .*\n\n>$/);
    chat.type(`Hi${ENTER}`);
    await chat.shows(/Error: .*No tea(?:.|\n)*>$/);
    chat.type(`Again${ENTER}`);
    await chat.shows(/Tea\.\n\n>$/);
    chat.type("\u0004");
    expect(await chat.ended()).toBe(0);
    expect(chat.screen).toContain("chat --session cli:work");
  });

  it("asks before a tool that needs approval runs", async () => {
    const ask = [{ tool: "current_time", input: {} }];
    const config = { approvals: { tools: { current_time: "ask" } } };
    await using place = await ChatPlace.open(
      [ask, [{ text: "No time." }], ask, ask, [{ text: "Noon." }]],
      config,
    );
    await using chat = place.chat();
    await chat.shows(/>$/);
    chat.type(`Time?${ENTER}`);
    await chat.shows("Allow current_time {}? (yes/no/always)");
    // Typed ahead, as the next message.
    chat.type(`and yes${ENTER}`);
    await chat.shows(/always\) and yes\nAllow .*always\)/);
    chat.type(`ny\u007f${ENTER}`);
    await chat.shows("No time.");
    expect(JSON.stringify(place.server.requests[1]?.body)).toContain("the user did not allow it");
    chat.type(`Again${ENTER}`);
    await chat.shows(/always\) $|always\)$/);
    chat.type(`always${ENTER}`);
    await chat.shows("Noon.");
    expect(JSON.stringify(place.server.requests[4]?.body)).not.toContain("Allow");
  });
});

const ESC = "\\u001b";
const COLOUR = new RegExp(`${ESC}\\[[0-9;]*m`);
