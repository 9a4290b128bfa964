import { expect, it } from "vitest";
import type { Message } from "../message/types.ts";
import { createAgentContextWithHistory } from "./history.ts";

it("starts with copies of the messages, without old system prompts", () => {
  const config = { model: "m" };
  const history: Message[] = [
    { role: "system", content: "You are old." },
    { role: "user", content: [{ type: "text", text: "hi" }] },
    { role: "assistant", content: "hello" },
  ];
  const context = createAgentContextWithHistory(config, "cli:default", history);
  expect(context).toEqual({ sessionId: "cli:default", config, messages: history.slice(1) });
  expect(context.config).toBe(config);
  expect(context.messages[0]).not.toBe(history[1]);
  expect(context.messages[0]?.content).not.toBe(history[1]?.content);
  context.messages.push({ role: "user", content: "more" });
  expect(history).toHaveLength(3);
});
