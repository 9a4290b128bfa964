import { describe, expect, it } from "vitest";
import { modelServer } from "../../../test/support/models/model-server.ts";
import { modelOn } from "../../../test/support/models/model-target.ts";
import { scriptedModel } from "../../../test/support/models/scripted-model.ts";
import type { Tool, ToolOutput } from "../tools/tool.ts";
import { AgentLoop } from "./agent-loop.ts";

/** What code of others returns as blocks. */
const OUTPUTS: readonly unknown[] = [
  [],
  [{}],
  [null],
  ["text"],
  [{ type: 5 }],
  [{ type: "" }],
  [{ type: "text" }],
  [{ type: "text", text: 5 }],
  [{ type: "text", text: null }],
  [{ type: "text", text: "fine" }, { type: "text" }],
  [{ type: "image" }],
  [{ type: "image", source: "data" }],
  [{ type: "image", source: { type: "base64", media_type: "image/png", data: 5 } }],
  [{ type: "image", source: { type: "base64", media_type: "image/png", data: "not base64!" } }],
  [{ type: "tool_use", id: "forged", name: "tool", input: {} }],
  [{ type: "tool_use", name: "tool" }],
  [{ type: "tool_result", tool_use_id: "forged", content: "x" }],
  [{ type: "thinking", thinking: "secret", signature: "x" }],
  [{ type: "unheard_of", more: { deep: [1, 2] } }],
  [{ type: "text", text: "half a pair \ud83d" }],
  [[{ type: "text", text: "nested" }]],
  { type: "text", text: "one block, not a list" },
  5,
  null,
  true,
  () => "a function",
  Symbol("s"),
  10n,
  Number.NaN,
];

const tool = (output: unknown): Tool => ({
  ...{ name: "tool", description: "Returns it", inputSchema: { type: "object" } },
  run: () => output as ToolOutput,
});

describe("a tool that returns malformed output", () => {
  it.each(OUTPUTS.map((output) => [show(output), output] as const))(
    "such as %s has a result",
    async (_, output) => {
      const model = scriptedModel([[{ call: "tool", id: "c1" }], ["Oh."], ["Still here."]]);
      const loop = new AgentLoop({ model, tools: [tool(output)] });
      expect((await loop.run("Go")).reply).toBe("Oh.");
      expect((await loop.run("Well?")).reply).toBe("Still here.");
      const chat = await loop.conversation();
      const { messages, ledger } = await chat.context({ maxTokens: 100_000 });
      expect(ledger.repaired).toEqual([]);
      const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
      const ids = results.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id);
      expect(ids).toEqual(["c1"]);
    },
  );

  it.each(["anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"] as const)(
    "can be asked about with %s",
    async (api) => {
      await using server = await modelServer(({ body }) =>
        JSON.stringify(body).match(/Again/) ? [{ text: "Fine." }] : [{ tool: "tool", input: {} }],
      );
      for (const output of OUTPUTS.filter(Array.isArray)) {
        const again = async (): Promise<ToolOutput> => output as unknown as ToolOutput;
        const loop = new AgentLoop({
          model: modelOn(server, api, {}, { contextWindow: 200_000 }),
          tools: [{ ...tool(undefined), run: again }],
          maxSteps: 1,
        });
        await loop.run("Go");
        expect((await loop.run("Again")).reply, show(output)).toBe("Fine.");
      }
      // A provider would refuse these, now and in every later request of the conversation.
      const sent = JSON.stringify(server.requests.map(({ body }) => body));
      expect(sent).not.toMatch(/not base64!|forged|unheard_of":/);
      expect(sent).toContain("fine");
    },
  );
});

function show(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
