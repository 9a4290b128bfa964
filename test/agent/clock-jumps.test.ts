/** The time of day is set back and forth while agents answer: the order is that of the log, and nothing is answered twice. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentLoop, type Tool } from "../../src/agent/index.ts";
import { openStore } from "../../src/index.ts";
import { textOf } from "../../src/message/index.ts";
import { ENGINES } from "../process/child-process.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { tempFolder } from "../support/temp-folder.ts";

const NOW = Date.UTC(2026, 0, 1);
const YEAR = 365 * 24 * 3_600_000;
/** What the clock shows, one after the other. */
const JUMPS = [0, -10 * YEAR, 5 * YEAR, -1, 1, -56 * YEAR + 1000, 50 * YEAR];

describe.each(ENGINES)("on %s, with a clock that jumps", (engine) => {
  it("runs end, keep their order, and are found again", async () => {
    const target = `${engine}:${join(tempFolder(), "store")}`;
    let asked = 0;
    const clock = (): number => NOW + (JUMPS[asked++ % JUMPS.length] as number);
    const tool: Tool = {
      ...{ name: "look", description: "Looks", inputSchema: { type: "object" } },
      // Long enough that ids are not found at the end of a file.
      run: () => "seen ".repeat(10_000),
    };
    const model = scriptedModel(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("tool_result") ? ["Done."] : ["Look: ", { call: "look" }],
    );
    await using one = await openStore(target, { clock });
    await using two = await openStore(target, { clock });
    const loops = [one, two].map(
      (store) => new AgentLoop({ store, key: "cli:default", model, tools: [tool] }),
    );
    for (let number = 0; number < 8; number++) {
      await loops[number % 2]?.run(`Question ${number}`, { operationId: `m${number}` });
    }
    const before = model.requests.length;
    for (let number = 0; number < 8; number++) {
      const { reply } = (await loops[0]?.run(`Question ${number}`, { operationId: `m${number}` })) ?? {};
      expect(reply).toBe("Done.");
    }
    expect(model.requests.length).toBe(before);
    const chat = await one.open("cli:default");
    const { items } = await chat.messages({ limit: 100 });
    const questions = items
      .map(({ message }) => textOf(message))
      .filter((text) => text.startsWith("Question"));
    expect(questions).toEqual(Array.from({ length: 8 }, (_, number) => `Question ${number}`));
    expect(items.length).toBe(32);
    for (const [index, { id }] of items.entries()) {
      const { items: later } = await chat.messages({ after: id, limit: 100 });
      expect(later.map((entry) => entry.id)).toEqual(items.slice(index + 1).map((entry) => entry.id));
    }
    expect(await chat.turn()).toBeUndefined();
    expect((await one.verify()).findings).toEqual([]);
  });
});
