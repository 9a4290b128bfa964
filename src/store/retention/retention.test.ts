import { describe, expect, it } from "vitest";
import type { ConversationInfo } from "../../engine/index.ts";
import { checkPolicy, planRetention, type RetentionPolicy } from "./retention.ts";

const NOW = Date.UTC(2026, 0, 31);
const day = (number: number): string => new Date(Date.UTC(2026, 0, number)).toISOString();

function conversation(id: string, last: number, channel = "cli", deleted?: number): ConversationInfo {
  return {
    id,
    key: `${channel}:${id}`,
    title: null,
    channel,
    model: null,
    profileId: null,
    contextState: null,
    messageCount: 10,
    branchCount: 1,
    compactionCount: 0,
    head: null,
    createdAt: day(1),
    updatedAt: day(last),
    lastMessageAt: day(last),
    deletedAt: deleted === undefined ? null : day(deleted),
  };
}

const LIVE = [
  conversation("a", 30),
  conversation("b", 20),
  conversation("c", 10),
  conversation("d", 5, "web"),
];
const TRASH = [conversation("x", 1, "cli", 30), conversation("y", 1, "cli", 2)];
const SIZES = { a: 100, b: 100, c: 100, d: 100, x: 7, y: 9 };

function plan(policy: RetentionPolicy): { trashed: string[]; removed: string[] } {
  const { trashed, removed } = planRetention(policy, LIVE, TRASH, SIZES, NOW);
  return { trashed: trashed.map(({ id }) => id), removed: removed.map(({ id }) => id) };
}

describe("retention", () => {
  it.each<[string, RetentionPolicy, string[], string[]]>([
    ["nothing without a limit", {}, [], []],
    ["by age", { maxAgeDays: 15 }, ["c", "d"], []],
    ["by messages of a channel, oldest first", { maxMessages: 20 }, ["c"], []],
    ["by bytes, but never the newest", { maxBytes: 50 }, ["b", "c"], []],
    ["the trash by its own days", { trashDays: 10 }, [], ["y"]],
    ["a channel's own limit only there", { channels: { web: { maxAgeDays: 1 } } }, ["d"], []],
    [
      "a channel's own limit instead of the general one",
      { maxAgeDays: 15, channels: { web: { maxAgeDays: 100 } } },
      ["c"],
      [],
    ],
  ])("%s", (_, policy, trashed, removed) => {
    expect(plan(policy)).toEqual({ trashed, removed });
  });

  it.each([
    { maxAgeDays: -1 },
    { maxMessages: Number.NaN },
    { days: 3 },
    { channels: { web: { maxAge: 3 } } },
    { channels: { web: { trashDays: "3" } } },
  ])("refuses %j", (policy) => {
    expect(() => checkPolicy(policy as RetentionPolicy)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR" }),
    );
  });
});
