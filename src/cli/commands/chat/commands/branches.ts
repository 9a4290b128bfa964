import { checkLabel } from "../../../../message/validate.ts";
import { safeLine } from "../../../../util/visible-text.ts";
import type { Call } from "../../../command.ts";
import { timeAgo } from "../../../terminal/time-ago.ts";
import { branchTable, warningLines } from "../../../view/branch-view.ts";
import { lastTimes } from "../../branches/branches.ts";
import type { ChatAgent } from "../chat-agent.ts";

const NO_CONVERSATION = ["This conversation has no messages yet."];

/** Switch to the branch with this name, or start it after the last message. */
export async function branchCommand(call: Call, agent: ChatAgent, name: string): Promise<readonly string[]> {
  const conversation = await agent.existing();
  if (conversation === undefined) return NO_CONVERSATION;
  const known = (await conversation.branches()).find((branch) => branch.name === name);
  if (known !== undefined) {
    await conversation.checkout(name);
    return [`You are on ${safeLine(name)} now.`];
  }
  const { head } = await conversation.info();
  const wanted = name === "" ? undefined : checkLabel(name, "name");
  const { branch, warnings } = await conversation.branch(head, { name: wanted, checkout: true });
  return [
    `You are on the new branch ${safeLine(branch.name)} now. To go back: /branch ${safeLine(branch.parent ?? "main")}`,
    ...warningLines(call.out, warnings),
  ];
}

export async function treeCommand({ out }: Call, agent: ChatAgent): Promise<readonly string[]> {
  const conversation = await agent.existing();
  if (conversation === undefined) return NO_CONVERSATION;
  const branches = await conversation.branches();
  const times = await lastTimes(conversation, branches);
  return branchTable(out, branches, ({ name }) => timeAgo(times.get(name) ?? null));
}

export async function branchNames(agent: ChatAgent): Promise<readonly string[]> {
  const conversation = await agent.existing();
  return conversation === undefined ? [] : (await conversation.branches()).map(({ name }) => name);
}
