import { safeLine } from "../../../../util/visible-text.ts";
import type { Call } from "../../../command.ts";
import { nextCommand } from "../../../invocation.ts";
import type { ChatAgent } from "../chat-agent.ts";

/** Instead of a name: the model that the config chooses. */
const MODEL_DEFAULT = "default";

export async function modelChoices(agent: ChatAgent): Promise<readonly string[]> {
  return [...(await agent.modelNames()), MODEL_DEFAULT];
}

export async function modelCommand(
  { values }: Call,
  agent: ChatAgent,
  name: string,
): Promise<readonly string[]> {
  if (name !== "") {
    await agent.chooseModel(name === MODEL_DEFAULT ? undefined : name);
    return [`${safeLine(await agent.modelName())} answers in this session from now on.`];
  }
  const others = await agent.modelNames();
  return [
    `${safeLine(await agent.modelName())} answers in this session.`,
    others.length === 0
      ? `To add a provider: ${nextCommand("auth add anthropic", values)}`
      : "To choose another: /model PROVIDER/MODEL, with Tab for a list; /model default goes back",
  ];
}
