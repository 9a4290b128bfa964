/** Conversations that look like those of a person who works with agents every day. */
import type { Conversation } from "../../src/store/conversation.ts";
import type { Store } from "../../src/store/store.ts";
import { ANSWER, DIAGRAM, LOG } from "./seed-texts.ts";

const HOUR = 3_600_000;

const TITLES: readonly (readonly [title: string, channel: string, model: string, words: string])[] = [
  [
    "Migrate the billing tables to UUID keys",
    "claude-code",
    "anthropic/claude-sonnet-4-5",
    "Both migrations run in one transaction now; I added the check for orphaned invoices.",
  ],
  [
    "Why does the nightly backup take 4 hours?",
    "claude-code",
    "anthropic/claude-opus-4-1",
    "It copies every blob again. With --link-dest it took 11 minutes.",
  ],
  [
    "Weekend in Lisbon with two kids",
    "chatgpt",
    "openai/gpt-5",
    "The oceanarium opens at 10; book the slot before Thursday.",
  ],
  [
    "Rate limiter: token bucket or sliding window",
    "discord",
    "anthropic/claude-sonnet-4-5",
    "A sliding window counts bursts at the border once.",
  ],
  [
    "Release notes 2.14",
    "telegram",
    "openai/gpt-5-mini",
    "Shortened to nine lines, the breaking change first.",
  ],
  ["Explain the new tax form to my father", "chatgpt", "openai/gpt-5", "Line 37 is the one that matters."],
  [
    "Flaky test in payments/refund.spec.ts",
    "claude-code",
    "anthropic/claude-sonnet-4-5",
    "The clock was mocked after the module had read it.",
  ],
  [
    "On-call handover",
    "discord",
    "anthropic/claude-haiku-4-5",
    "Two alerts are silenced until Friday 18:00.",
  ],
  [
    "SQL: users without an order in 90 days",
    "web",
    "local/small",
    "An anti join is faster here than NOT IN.",
  ],
  [
    "Sourdough at 28 °C",
    "telegram",
    "openai/gpt-5-mini",
    "Shorten the bulk to three hours and watch the dough, not the clock.",
  ],
];

/** Newest first in the list: the long one, then the others over some weeks. Returns the long one. */
export async function seed(store: Store, now: number): Promise<Conversation> {
  for (const [index, [title, channel, model, words]] of [...TITLES, ...TITLES, ...TITLES].entries()) {
    const at = (minutes: number): string =>
      new Date(now - (index + 1) ** 1.6 * 5 * HOUR + minutes * 60_000).toISOString();
    const isCopy = index >= TITLES.length;
    const conversation = await store.create({
      title: isCopy ? `${title} (${Math.floor(index / TITLES.length) + 1})` : title,
      channel,
      model,
    });
    await conversation.append([
      { role: "user", content: `${title}?`, at: at(0) },
      { role: "assistant", content: words, model, at: at(1) },
    ]);
  }
  return longOne(store, now);
}

async function longOne(store: Store, now: number): Promise<Conversation> {
  const at = (minutes: number): string => new Date(now - 40 * 60_000 + minutes * 60_000).toISOString();
  const model = "anthropic/claude-sonnet-4-5";
  const conversation = await store.create({
    title: "Find out why the search page is slow",
    key: "web:search-page",
    channel: "web",
    model: "local/small",
  });
  await conversation.append([
    { role: "user", content: "The search page takes two seconds since Tuesday. Can you look?", at: at(0) },
    {
      role: "assistant",
      model,
      at: at(1),
      usage: { input_tokens: 1840, output_tokens: 212, cost: 0.0087 },
      content: [
        {
          type: "thinking",
          thinking: "Two seconds since Tuesday: something was deployed. First the log, then the query plan.",
        },
        { type: "text", text: "I will look at the slow query log first." },
        {
          type: "tool_use",
          id: "t1",
          name: "bash",
          input: { command: "tail -n 400 /var/log/app/slow.log | sort -k3 -nr" },
        },
      ],
    },
    { role: "user", at: at(1.2), content: [{ type: "tool_result", tool_use_id: "t1", content: LOG }] },
    {
      role: "assistant",
      model,
      at: at(2),
      content: [
        { type: "tool_use", id: "t2", name: "read_file", input: { path: "src/search/ranking.ts" } },
        {
          type: "tool_use",
          id: "t3",
          name: "bash",
          input: { command: "psql -c 'EXPLAIN ANALYZE SELECT …'" },
        },
      ],
    },
    {
      role: "user",
      at: at(2.3),
      content: [
        {
          type: "tool_result",
          tool_use_id: "t2",
          content: "export const WEIGHTS = { title: 4, body: 1 };\n",
        },
        {
          type: "tool_result",
          tool_use_id: "t3",
          content: "ERROR: permission denied for table hits",
          is_error: true,
        },
      ],
    },
    {
      role: "assistant",
      model,
      at: at(3),
      usage: { input_tokens: 5210, output_tokens: 640, cost: 0.031 },
      content: ANSWER,
    },
    {
      role: "user",
      at: at(20),
      content: [
        { type: "text", text: "Good find. Here is the plan of the query after the change:" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: DIAGRAM } },
      ],
    },
    {
      role: "assistant",
      model,
      at: at(21),
      content:
        "The index is used now: 38 ms instead of 1.9 s. I would still keep an eye on the write load, because each insert updates one more index.",
    },
    { role: "user", at: at(30), content: "Write the commit message." },
    {
      role: "assistant",
      model,
      at: at(31),
      content:
        "```\nAdd an index for searches by tenant and time\n\nThe planner read all hits of a tenant and sorted them.\n```",
    },
  ]);
  return conversation;
}

/** As many messages as a test of scrolling needs. */
export async function seedMany(store: Store, count: number): Promise<Conversation> {
  const conversation = await store.create({ title: `${count} messages`, channel: "web" });
  const start = Date.parse("2026-01-01T00:00:00Z");
  const BATCH = 5000;
  for (let from = 0; from < count; from += BATCH) {
    await conversation.append(
      Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
        const number = from + index;
        return {
          role: number % 2 === 0 ? ("user" as const) : ("assistant" as const),
          content: `Message ${number}. ${"A few words that make the rows differ in height. ".repeat(1 + ((number * 7) % 9))}`,
          at: new Date(start + number * 60_000).toISOString(),
        };
      }),
    );
  }
  return conversation;
}
