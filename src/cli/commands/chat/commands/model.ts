import { safeLine } from "../../../../util/visible-text.ts";
import type { Call } from "../../../command.ts";
import { nextCommand } from "../../../invocation.ts";
import type { ChatAgent } from "../chat-agent.ts";

export async function modelCommand(
  { values }: Call,
  agent: ChatAgent,
  name: string,
): Promise<readonly string[]> {
  if (name !== "") {
    await agent.chooseModel(name);
    return [`${safeLine(await agent.modelName())} answers in this session from now on.`];
  }
  const others = await agent.modelNames();
  return [
    `${safeLine(await agent.modelName())} answers in this session.`,
    others.length === 0
      ? `To add a provider: ${nextCommand("auth add anthropic", values)}`
      : "To choose another: /model PROVIDER/MODEL, with Tab for a list",
  ];
}
