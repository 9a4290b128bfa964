import { describe, expect, it } from "vitest";
import { readSet } from "../../eval/recall/read-set.ts";
import { runScript } from "../support/processes/run-script.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { CONVERSATIONS, QUESTIONS, toySet } from "./toy-set.ts";

const run = (...args: string[]) => runScript("eval/run.ts", ...args);

describe("npm run eval -- recall", () => {
  it("reports the ranks of plain FTS5 and of the store as JSON", async () => {
    const { status, output } = await run("recall", toySet(), "--json");
    expect(status).toBe(0);
    const { conversations, messages, rankings } = JSON.parse(output);
    expect({ conversations, messages }).toEqual({ conversations: 2, messages: 5 });
    expect(rankings[0]).toMatchObject({
      name: "plain FTS5",
      message: { hit1: 0.75, hit5: 0.75, recall10: 0.75 },
      conversation: { hit1: 0.75, hit5: 0.75, recall10: 0.75 },
      kinds: { direct: { questions: 1 }, tool: { questions: 1 }, unknown: { questions: 2 } },
      languages: { en: { questions: 1 }, unknown: { questions: 3 } },
      questions: [
        { id: "q1", ranks: { "pump/m1": 1 } },
        { id: "q2", ranks: { "cellar/m2": 1 } },
        { id: "q3", ranks: { "cellar/m1": 1 } },
        { id: "q4", ranks: { "pump/m3": null } },
      ],
    });
    expect(rankings[1]).toMatchObject({
      name: "keyword",
      message: { hit5: 0.75, recall10: 0.75 },
      conversation: { hit1: 0.75 },
    });
  });

  it("prints a table, and what the store missed", async () => {
    const { status, output } = await run("recall", toySet(), "--misses");
    expect(status).toBe(0);
    expect(output).toMatch(/^plain FTS5 +75\.0 +75\.0 +75\.0 /m);
    expect(output).toMatch(
      /^q4 \(unknown, unknown\) zeppelin\n {4}pump\/m3: plain FTS5 not found, keyword not found$/m,
    );
    expect(output).not.toContain("q1 (");
  });

  it("says what is wrong with a folder", async () => {
    const { status, output } = await run("recall", tempFolder());
    expect({ status, output }).toEqual({
      status: 1,
      output: expect.stringMatching(/^NOT_FOUND: There is no folder/),
    });
  });

  it("names the conversation that the store refuses", async () => {
    const [, message = {}] = CONVERSATIONS;
    const folder = toySet([{ conversation: "pump", title: "x".repeat(121) }, message], [QUESTIONS[0] ?? {}]);
    const { status, output } = await run("recall", folder);
    expect({ status, output }).toEqual({
      status: 1,
      output: expect.stringMatching(/^VALIDATION_ERROR: The conversation "pump" cannot be stored: Title/),
    });
  });

  it.each([
    [[]],
    [["precision"]],
    [["recall", "a", "b"]],
    [["recall", "--mode", "magic"]],
    [["recall", "--provider", "magic"]],
    [["recall", "--limit", "9"]],
    [["recall", "--nope"]],
  ])("shows its usage after %j", async (args) => {
    const { status, output } = await run(...args);
    expect({ status, output }).toEqual({
      status: 2,
      output: expect.stringContaining("npm run eval -- recall [FOLDER]"),
    });
  });
});

describe("our own sets", () => {
  it("can be read, and are large enough to tell two rankings apart", () => {
    const { conversations, questions } = readSet("eval/recall/set");
    expect(conversations.length).toBeGreaterThan(24);
    expect(questions.length).toBeGreaterThan(500);
    expect(readSet("eval/recall/held-out").questions.length).toBeGreaterThan(100);
  });
});
