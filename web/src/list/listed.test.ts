import { expect, it } from "vitest";
import type { ConversationSummary } from "../../../src/gateway/wire/rest.ts";
import { withoutRow, withPage, withRow } from "./listed.ts";

const DAY = "2026-01-0";

/** `b3` is the conversation b with a message of the third of January. */
function row(name: string, more: Partial<ConversationSummary> = {}): ConversationSummary {
  return {
    id: name.slice(0, 1),
    key: null,
    title: name,
    channel: null,
    model: null,
    messageCount: 1,
    branchCount: 1,
    createdAt: `${DAY}1`,
    updatedAt: `${DAY}1`,
    lastMessageAt: `${DAY}${name.slice(1)}`,
    deletedAt: null,
    running: false,
    ...more,
  };
}

const rows = (names: string): ConversationSummary[] => names.split(" ").map((name) => row(name));
const titles = (list: readonly ConversationSummary[]): string => list.map(({ title }) => title).join(" ");

it.each([
  ["a new message moves a row up", "a5 b4 c3", "c6", "c6 a5 b4"],
  ["a removed message moves it down", "a5 b4 c3", "a2", "b4 c3 a2"],
  ["an old conversation that is imported goes where its time is", "a5 b3", "c4", "a5 c4 b3"],
  ["the id decides between equal times", "a5 c5", "b5", "a5 b5 c5"],
  ["the last one goes to the end", "a5 b4", "c1", "a5 b4 c1"],
])("%s", (_, before, changed, after) => {
  expect(titles(withRow(rows(before), row(changed), { isWhole: true }))).toBe(after);
});

it("leaves a row beyond the last page to that page", () => {
  expect(titles(withRow(rows("a5 b4"), row("c1"), { isWhole: false }))).toBe("a5 b4");
  expect(titles(withRow(rows("a5 b4"), row("a1"), { isWhole: false }))).toBe("b4");
});

it("keeps what an event does not say", () => {
  const known = [row("a5", { firstWords: "Hello" })];
  const [changed] = withRow(known, row("a5", { title: null }), { isWhole: true });
  expect(changed).toMatchObject({ title: null, firstWords: "Hello" });
  const [moved] = withRow(known, row("a6", { title: null }), { isWhole: true });
  expect(moved).toMatchObject({ firstWords: "Hello" });
});

it("takes a row of the next page once", () => {
  expect(titles(withPage(rows("c6 a5"), rows("b4 c3")))).toBe("c6 a5 b4");
});

it("removes a row, and leaves the list alone without one", () => {
  const list = rows("a5 b4");
  expect(titles(withoutRow(list, "a"))).toBe("b4");
  expect(withoutRow(list, "x")).toBe(list);
});
