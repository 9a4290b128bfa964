import assert from "node:assert/strict";
import { accounted } from "../../context/ledger.ts";
import type { MessageInput } from "../../message/types.ts";
import type { ContextOptions } from "../../store/context/context.ts";
import type { SummaryRequest } from "../../store/context/summarize.ts";
import type { Conversation } from "../../store/conversation.ts";
import { allMessages, type Bench, idOf, refuses, say, type Topic, texts } from "../kit.ts";

/** Questions and answers `q1`, `a1`, `q2` … */
function exchange(from: number, to: number): MessageInput[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).flatMap((n) => [
    { role: "user" as const, content: `q${n}.` },
    { role: "assistant" as const, content: `a${n}.` },
  ]);
}

async function talked(bench: Bench, rounds = 10): Promise<Conversation> {
  const store = await bench.open({ durability: "process" });
  const chat = await store.open("web:long");
  await chat.append(exchange(1, rounds));
  return chat;
}

/** The context as one string. */
async function sent(chat: Conversation): Promise<string> {
  const { messages, ledger } = await chat.context({ maxTokens: 50_000 });
  const count = (await allMessages(chat)).length;
  assert.equal(accounted(ledger), count, "The ledger lists every message");
  return messages
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
    .join("\n");
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** A summariser that records its requests. */
function recording(answer: string): {
  summarize: (request: SummaryRequest) => string;
  asked: SummaryRequest[];
} {
  const asked: SummaryRequest[] = [];
  return {
    asked,
    summarize: (request) => {
      asked.push(request);
      return answer;
    },
  };
}

/** Everything that a failed compaction must not change. */
async function everything(chat: Conversation): Promise<unknown> {
  return [await chat.info(), (await chat.entries({ all: true, limit: 1000 })).items, await sent(chat)];
}

export const compaction: Topic = (check) => {
  check("without a compaction, a context has every message", async (bench) => {
    const chat = await talked(bench, 3);
    const { messages, ledger } = await chat.context({ maxTokens: 50_000, system: "Be brief." });
    assert.deepEqual(
      messages.map(({ content }) => content),
      ["q1.", "a1.", "q2.", "a2.", "q3.", "a3."],
    );
    assert.deepEqual([ledger.dropped, ledger.repaired, ledger.summarised.count], [[], [], 0]);
  });

  check("a compaction replaces the beginning with a summary, in contexts only", async (bench) => {
    const chat = await talked(bench);
    const { summarize, asked } = recording("THE SUMMARY");
    const entry = await chat.compact({ summarize, keepMessages: 4 });
    assert.equal(entry?.kind, "compaction");
    assert.deepEqual(
      asked.map(({ messages, previousSummary }) => [messages.length, previousSummary]),
      [[16, undefined]],
    );
    const text = await sent(chat);
    assert.equal(times(text, "THE SUMMARY"), 1);
    assert.deepEqual([times(text, "a8."), times(text, "q9."), times(text, "a10.")], [0, 1, 1]);
    assert.equal((await allMessages(chat)).length, 20);
    const info = await chat.info();
    assert.deepEqual([info.compactionCount, info.messageCount, info.head], [1, 20, entry?.id]);
    assert.equal(info.contextState?.summary, "THE SUMMARY");
  });

  check("a second compaction covers the first summary once", async (bench) => {
    const chat = await talked(bench);
    await chat.compact({ summarize: () => "FIRST", keepMessages: 4 });
    await chat.append(exchange(11, 15));
    const { summarize, asked } = recording("SECOND");
    await chat.compact({ summarize, keepMessages: 2 });
    const [request] = asked;
    assert.equal(request?.previousSummary, "FIRST");
    assert.deepEqual(
      request?.messages.map(({ content }) => content),
      exchange(9, 14).map(({ content }) => content),
    );
    const text = await sent(chat);
    assert.deepEqual([times(text, "FIRST"), times(text, "SECOND"), times(text, "a14.")], [0, 1, 0]);
    assert.equal((await chat.info()).compactionCount, 2);
  });

  check("undoing a compaction includes its messages again", async (bench) => {
    const chat = await talked(bench);
    const before = await sent(chat);
    const first = await chat.compact({ summarize: () => "FIRST", keepMessages: 4 });
    const between = await sent(chat);
    await chat.append(exchange(11, 12));
    const second = await chat.compact({ summarize: () => "SECOND", keepMessages: 2 });
    await chat.undoCompaction(idOf(second));
    const text = await sent(chat);
    assert.ok(text.startsWith(between), text);
    assert.deepEqual([times(text, "SECOND"), times(text, "q11."), times(text, "a12.")], [0, 1, 1]);
    await chat.undoCompaction(idOf(first));
    assert.ok((await sent(chat)).startsWith(before));
    await refuses("CONFLICT", chat.undoCompaction(idOf(first)));
    await refuses("NOT_FOUND", chat.undoCompaction("nobody"));
    const [message] = await allMessages(chat);
    await refuses("NOT_FOUND", chat.undoCompaction(idOf(message)));
  });

  for (const [what, summarize] of [
    [
      "throws",
      () => {
        throw new Error("the model is down");
      },
    ],
    ["fails later", () => Promise.reject(new Error("the model is down"))],
    ["returns nothing", () => ""],
    ["returns blanks", () => " \n"],
    ["returns no string", () => 42 as unknown as string],
  ] as const) {
    check(`a summariser that ${what} changes nothing`, async (bench) => {
      const chat = await talked(bench);
      const before = await everything(chat);
      await refuses("SERVICE_UNAVAILABLE", chat.compact({ summarize, keepMessages: 4 }));
      assert.deepEqual(await everything(chat), before);
      await chat.compact({ summarize: () => "FIRST", keepMessages: 4 });
      const compacted = await everything(chat);
      await refuses("SERVICE_UNAVAILABLE", chat.compact({ summarize, keepMessages: 2 }));
      assert.deepEqual(await everything(chat), compacted);
    });
  }

  check("a short conversation is not compacted", async (bench) => {
    const chat = await talked(bench, 1);
    const { summarize, asked } = recording("x");
    assert.equal(await chat.compact({ summarize }), undefined);
    assert.equal(await chat.compact({ summarize, keepMessages: 0 }), undefined);
    assert.deepEqual([asked, (await chat.info()).compactionCount], [[], 0]);
  });

  check("the user's last message is never summarised or left out", async (bench) => {
    const chat = await talked(bench);
    await chat.append({ role: "user", content: "the one question that matters" });
    for (let n = 0; n < 20; n++) {
      await chat.append([
        { role: "assistant", content: [{ type: "tool_use", id: `t${n}`, name: "read", input: { n } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: "x".repeat(400) }] },
      ]);
    }
    await chat.compact({ summarize: () => "SUMMARY", keepMessages: 1 });
    assert.equal(times(await sent(chat), "the one question that matters"), 1);
    const { messages, ledger, tokens } = await chat.context({ maxTokens: 1200, reserveForOutput: 200 });
    assert.equal(times(JSON.stringify(messages), "the one question that matters"), 1);
    assert.ok(tokens <= 1000, `${tokens} tokens`);
    assert.equal(accounted(ledger), 61);
  });

  check("a compaction never separates a tool call from its result", async (bench) => {
    const chat = await talked(bench, 3);
    await chat.append([
      { role: "user", content: "read it" },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "words" }] },
      { role: "assistant", content: "done" },
      { role: "user", content: "thanks" },
      { role: "assistant", content: "welcome" },
    ]);
    await chat.compact({ summarize: () => "SUMMARY", keepMessages: 4 });
    const { ledger, messages } = await chat.context({ maxTokens: 50_000 });
    assert.deepEqual(ledger.repaired, []);
    assert.equal(
      times(JSON.stringify(messages), "tool_use_id"),
      times(JSON.stringify(messages), '"tool_use"'),
    );
  });

  check("a compaction affects its branch only", async (bench) => {
    const chat = await talked(bench);
    const entries = await allMessages(chat);
    await chat.branch(idOf(entries[9]), { name: "early" });
    await chat.compact({ summarize: () => "SUMMARY", keepMessages: 4 });
    const head = idOf((await allMessages(chat)).at(-1));
    await chat.branch((await chat.info()).head, { name: "late" });
    await chat.branch(head, { name: "before it" });
    const shown = async (branch: string): Promise<number> => {
      const { messages } = await chat.context({ maxTokens: 50_000, branch });
      return times(JSON.stringify(messages), "SUMMARY");
    };
    assert.deepEqual([await shown("early"), await shown("late"), await shown("before it")], [0, 1, 0]);
  });

  check("a branch can have the summary of another branch", async (bench) => {
    const chat = await talked(bench, 2);
    const [, answer] = await allMessages(chat);
    await chat.branch(idOf(answer), { name: "side" });
    await chat.append(say("tried this"), { branch: "side" });
    const { summarize, asked } = recording("IT FAILED");
    const { branch, entries } = await chat.summarizeBranch("side", { summarize });
    assert.deepEqual([branch.name, branch.active], ["main", true]);
    assert.deepEqual(
      entries.map(({ data }) => [data.branch, data.summary]),
      [["side", "IT FAILED"]],
    );
    assert.deepEqual(
      asked[0]?.messages.map(({ content }) => content),
      ["tried this"],
    );
    const { messages } = await chat.context({ maxTokens: 50_000 });
    assert.equal(times(JSON.stringify(messages), "IT FAILED"), 1);
    assert.equal((await chat.info()).messageCount, 5);
    await refuses("NOT_FOUND", chat.summarizeBranch("nowhere", { summarize }));
    await refuses("VALIDATION_ERROR", chat.summarizeBranch("main", { summarize }));
  });

  check("a new transcript replaces the previous one, which is kept as a branch", async (bench) => {
    const chat = await talked(bench, 2);
    const former = await allMessages(chat);
    const { branch, entries: second } = await chat.replaceTranscript(say("summary of all", "next"));
    assert.deepEqual([branch.name, branch.active, branch.head], ["main", true, second[1]?.id]);
    assert.deepEqual([second[0]?.parentId, second.length], [null, 2]);
    assert.deepEqual(await allMessages(chat), second);
    assert.deepEqual(await allMessages(chat, { branch: "generation-1" }), former);
    assert.equal(times(await sent(chat), "q1."), 0);
    const { entries: third } = await chat.replaceTranscript(say("third"));
    assert.deepEqual(await allMessages(chat), third);
    assert.deepEqual(await allMessages(chat, { branch: "generation-2" }), second);
    assert.deepEqual(await allMessages(chat, { branch: "generation-1" }), former);
    assert.equal((await chat.info()).messageCount, 7);
    assert.deepEqual((await chat.replaceTranscript([])).entries, []);
    assert.deepEqual(await allMessages(chat), []);
    assert.deepEqual(await allMessages(chat, { branch: "generation-3" }), third);
  });

  check.persistent("a context is the same after reopening", async (bench) => {
    const chat = await talked(bench);
    const first = await chat.compact({ summarize: () => "FIRST", keepMessages: 8 });
    await chat.compact({ summarize: () => "SECOND", keepMessages: 2 });
    const undone = await chat.compact({ summarize: () => "THIRD", keepMessages: 0 });
    if (undone !== undefined) await chat.undoCompaction(idOf(undone));
    const before = await everything(chat);
    const store = await bench.open();
    const again = await store.open("web:long");
    assert.deepEqual(await everything(again), before);
    await again.undoCompaction(idOf(first));
    assert.equal(times(await sent(again), "SECOND"), 1);
    assert.deepEqual((await store.verify()).findings, []);
  });

  for (const [what, options] of [
    ["no budget", {}],
    ["a budget of nothing", { maxTokens: 0 }],
    ["a budget without room", { maxTokens: 1000, reserveForOutput: 1000 }],
    ["an unknown strategy", { maxTokens: 50_000, strategy: "magic" }],
    ["an unknown API", { maxTokens: 50_000, as: "telegraph" }],
    ["a misspelt option", { maxTokens: 50_000, sytem: "x" }],
  ] as const) {
    check(`a context with ${what} is refused`, async (bench) => {
      const chat = await talked(bench, 1);
      await refuses("VALIDATION_ERROR", chat.context(options as unknown as { maxTokens: number }));
    });
  }

  for (const [field, options] of [
    ["last", { last: 4 }],
    ["last", { last: 4, strategy: "full" }],
    ["summarize", { summarize: () => "x" }],
    ["summarize", { summarize: () => "x", strategy: "sliding" }],
  ] as const) {
    const strategy = "strategy" in options ? `strategy ${options.strategy}` : "the default strategy";
    check(`a context refuses ${field} with ${strategy}, where it has no effect`, async (bench) => {
      const chat = await talked(bench, 1);
      const error = await refuses("VALIDATION_ERROR", chat.context({ maxTokens: 50_000, ...options }));
      assert.equal(error.field, field);
    });
  }

  check("a context has only role and content, or the shape of an API", async (bench) => {
    const chat = await talked(bench, 1);
    await chat.append([
      { role: "user", content: "read it", provenance: { channel: "web" } },
      {
        role: "assistant",
        model: "gpt-5",
        endState: "finished",
        usage: { completion_tokens: 9 },
        content: [{ type: "tool_use", id: "t", name: "read", input: {}, openai: { index: 0 } }],
      },
    ]);
    const options = { maxTokens: 50_000, system: "Be brief." };
    const plain = await chat.context(options);
    assert.equal(plain.system, "Be brief.");
    for (const message of plain.messages) assert.deepEqual(Object.keys(message), ["role", "content"]);
    assert.deepEqual(plain.messages[3]?.content, [{ type: "tool_use", id: "t", name: "read", input: {} }]);
    const { system, messages } = await chat.context({ ...options, as: "anthropic" });
    assert.deepEqual([system, messages.length], ["Be brief.", 5]);
    const openai = await chat.context({ ...options, as: "openai" });
    assert.deepEqual(
      openai.messages.map(({ role }) => role),
      ["system", "user", "assistant", "user", "assistant", "tool"],
    );
    const { instructions, input } = await chat.context({ ...options, as: "openai-responses" });
    assert.deepEqual([instructions, input.length], ["Be brief.", 5]);
    const sdk = await chat.context({ ...options, as: "ai-sdk" });
    assert.deepEqual([sdk.system, sdk.messages.at(-1)?.role], ["Be brief.", "tool"]);
    for (const { ledger, tokens } of [plain, openai, sdk]) {
      assert.deepEqual([accounted(ledger), ledger.budget.used], [4, tokens]);
      assert.deepEqual(
        ledger.repaired.map(({ kind }) => kind),
        ["missing-result"],
      );
    }
  });

  check("the strategies keep everything, the end, or both ends", async (bench) => {
    const chat = await talked(bench, 20);
    const contents = async (options: ContextOptions): Promise<unknown[]> =>
      (await chat.context(options)).messages.map(({ content }) => content);
    const all = texts(await allMessages(chat));
    assert.deepEqual(await contents({ maxTokens: 50_000, strategy: "full" }), all);
    const last = await contents({ maxTokens: 50_000, strategy: "sliding", last: 4 });
    assert.deepEqual(last.slice(-4), all.slice(-4));
    assert.ok(!last.includes("a1."));
    const { summarize, asked } = recording("THE MIDDLE");
    const options = { maxTokens: 300, reserveForOutput: 20, strategy: "sandwich", summarize } as const;
    const both = JSON.stringify(await contents(options));
    assert.deepEqual([times(both, "THE MIDDLE"), times(both, "q1."), times(both, "a20.")], [1, 1, 1]);
    await contents(options);
    assert.equal(asked.length, 1, "The summary of the middle is kept");
  });
};
