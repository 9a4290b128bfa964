import { describe, expect, it } from "vitest";
import { processorMs } from "../../test/support/processes/processor-time.ts";
import type { Block, Message } from "../message/types.ts";
import type { ContextItem } from "./item.ts";
import { repairToolPairs } from "./pairs.ts";
import { splitPoints } from "./split-points.ts";

/** A conversation in short: `a1` calls 1, `r1` is its result, a word is text; `a:` and `s:` give another role. */
function conversation(...lines: string[]): ContextItem[] {
  return lines.map((line, index) => ({ id: `e${index}`, message: message(line) }));
}

function message(line: string): Message {
  const role = line.startsWith("a") ? "assistant" : line.startsWith("s:") ? "system" : "user";
  const parts = line.replace(/^[as]:/, "").split(" ");
  return { role, content: parts.map((part) => block(part)) };
}

function block(part: string): Block {
  const [, kind, id = ""] = /^([acr])(\d+(?:_\d)?)$/.exec(part) ?? [];
  if (kind === "r") return { type: "tool_result", tool_use_id: id, content: `result ${id}` };
  return kind ? { type: "tool_use", id, name: "f", input: {} } : { type: "text", text: part };
}

/** Back into the short form; `!1` is a result that was made up. */
function short(items: readonly ContextItem[]): string[] {
  return items.map(({ message: { role, content } }) => {
    const parts = (content as readonly Block[]).map((part) => {
      if (part.type === "tool_use") return `a${part.id}`;
      if (part.type === "tool_result") return `${part.is_error ? "!" : "r"}${part.tool_use_id}`;
      return part.text;
    });
    const prefix =
      role === "assistant" && !String(parts[0]).startsWith("a") ? "a:" : role === "system" ? "s:" : "";
    return prefix + parts.join(" ");
  });
}

describe("repairToolPairs", () => {
  it.each<[title: string, given: string[], sent: string[], repairs: string[]]>([
    ["leaves whole pairs alone", ["hi", "a1 a2", "r1 r2", "a:ok"], ["hi", "a1 a2", "r1 r2", "a:ok"], []],
    ["leaves the order of results alone", ["a1 a2", "r2 r1"], ["a1 a2", "r2 r1"], []],
    ["joins results that came one by one", ["a1 a2 a3", "r1", "r2", "r3"], ["a1 a2 a3", "r1 r2 r3"], []],
    ["answers a call that has no result", ["a1", "hi"], ["a1", "!1", "hi"], ["missing-result 1 e0"]],
    [
      "answers the calls at the very end",
      ["hi", "a1 a2"],
      ["hi", "a1 a2", "!1 !2"],
      ["missing-result 1 e1", "missing-result 2 e1"],
    ],
    [
      "adds missing results to existing ones",
      ["a1 a2", "r2 hi"],
      ["a1 a2", "r2 !1 hi"],
      ["missing-result 1 e0"],
    ],
    ["leaves orphans out", ["r9 hi", "a:ok"], ["hi", "a:ok"], ["orphan-result 9 e0"]],
    ["leaves a message out that is orphans alone", ["r9", "hi"], ["hi"], ["orphan-result 9 e0"]],
    [
      "treats a result before its call as an orphan",
      ["r1", "a1"],
      ["a1", "!1"],
      ["orphan-result 1 e0", "missing-result 1 e1"],
    ],
    ["leaves duplicates out", ["a1", "r1", "r1 hi"], ["a1", "r1", "hi"], ["duplicate-result 1 e2"]],
    ["moves a result next to its call", ["a1", "hi", "r1"], ["a1", "r1", "hi"], ["moved-result 1 e2"]],
    [
      "moves a result out of a message",
      ["a1", "hi", "r1 there"],
      ["a1", "r1", "hi", "there"],
      ["moved-result 1 e2"],
    ],
    ["puts results before words", ["a1", "hi r1"], ["a1", "r1 hi"], ["moved-result 1 e1"]],
    [
      "splits messages that were stored in pieces",
      ["a1", "a2", "r1", "r2"],
      ["a1", "r1", "a2", "r2"],
      ["moved-result 1 e2"],
    ],
    [
      "distributes one message of results",
      ["a1", "a2", "r1 r2"],
      ["a1", "r1", "a2", "r2"],
      ["moved-result 1 e2"],
    ],
    ["takes results from any role", ["a1", "a:so r1"], ["a1", "r1", "a:so"], ["moved-result 1 e1"]],
    [
      "renames an id that occurs twice",
      ["a1", "r1", "a1", "r1"],
      ["a1", "r1", "a1_2", "r1_2"],
      ["renamed-call 1 e2"],
    ],
    ["renames within a message", ["a1 a1", "r1 r1"], ["a1 a1_2", "r1 r1_2"], ["renamed-call 1 e0"]],
    [
      "does not rename to an id in use",
      ["a1_2 a1", "r1_2 r1", "a1", "r1"],
      ["a1_2 a1", "r1_2 r1", "a1_3", "r1_3"],
      ["renamed-call 1 e2"],
    ],
    [
      "assigns a result to the latest call with its id",
      ["a1", "a1", "r1"],
      ["a1", "!1", "a1_2", "r1_2"],
      ["missing-result 1 e0", "renamed-call 1 e1"],
    ],
    ["drops calls outside assistant messages", ["hi c1", "a:ok"], ["hi", "a:ok"], ["misplaced-call 1 e0"]],
  ])("%s", (_title, given, sent, repairs) => {
    const result = repairToolPairs(conversation(...given));
    expect(short(result.items)).toEqual(sent);
    expect(result.repairs.map(({ kind, toolUseId, id }) => `${kind} ${toolUseId} ${id}`)).toEqual(repairs);
  });

  it("reports messages of which nothing is left, and why", () => {
    const { dropped } = repairToolPairs(conversation("r9", "a1", "r1", "hi", "r1", "s:c3"));
    expect(dropped).toEqual([
      { id: "e0", reason: "orphan-result" },
      { id: "e4", reason: "duplicate-result" },
      { id: "e5", reason: "misplaced-call" },
    ]);
  });

  it("marks synthetic results as errors", () => {
    const [, made] = repairToolPairs(conversation("a1")).items;
    expect(made).toMatchObject({ id: "e0", message: { role: "user", content: [{ is_error: true }] } });
    expect(JSON.stringify(made)).toContain("[no result recorded");
  });

  it("handles many calls with one id quickly", async () => {
    const given = conversation(...Array.from({ length: 20_000 }, (_, index) => (index % 2 ? "r1" : "a1")));
    expect(await processorMs(() => repairToolPairs(given))).toBeLessThan(2_000);
    expect(repairToolPairs(given).items.at(-1)?.message.content).toMatchObject([{ tool_use_id: "1_10000" }]);
  });
});

describe("splitting a conversation", () => {
  const points = splitPoints(conversation("hi", "a1", "a2", "r1", "r2", "a:ok", "a3"));

  it.each([
    [-1, 0, 0],
    [0, 0, 0],
    [1, 1, 1],
    [2, 1, 5],
    [3, 1, 5],
    [4, 1, 5],
    [5, 5, 5],
    [6, 6, 6],
    [9, 7, 7],
  ])("at %i finds the split points %i and %i", (index, before, after) => {
    expect([points.before(index), points.after(index)]).toEqual([before, after]);
  });
});
