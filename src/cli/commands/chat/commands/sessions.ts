import { ColloquyError } from "../../../../errors.ts";
import { safeLine } from "../../../../util/visible-text.ts";
import type { Call } from "../../../command.ts";
import { checkNewReference } from "../../../input/reference.ts";
import { rememberList } from "../../../store/last-list.ts";
import { existing } from "../../../store/open-store.ts";
import { storeTarget } from "../../../store/store-target.ts";
import { counted } from "../../../terminal/count-text.ts";
import { conversationTable } from "../../../view/conversation-view.ts";
import type { ChatAgent } from "../chat-agent.ts";

const LISTED = 10;

/** List the latest conversations, or continue one of them, or a new one with this key. */
export async function sessionsCommand(
  call: Call,
  agent: ChatAgent,
  name: string,
): Promise<readonly string[]> {
  if (name === "") {
    const { items } = await agent.store.list({ limit: LISTED, firstWords: true });
    if (items.length === 0) return ["There are no conversations yet."];
    rememberList(
      call,
      storeTarget(call.values),
      items.map(({ id }) => id),
    );
    return [...conversationTable(call.out, items), "", "To switch to one: /sessions #2, or its name"];
  }
  const found = await existing(call, agent.store, checkNewReference(name));
  const info = await found?.info();
  if (info !== undefined && info.key === null) {
    throw new ColloquyError(
      "NOT_SUPPORTED",
      "This conversation has no session key, so it cannot be continued here",
    );
  }
  agent.switchTo(info?.key ?? (name.includes(":") ? name : `cli:${name}`));
  const past = info === undefined ? "a new conversation" : counted(info.messageCount, "message");
  return [`You are in ${safeLine(agent.key)} now: ${past}.`];
}

export async function sessionKeys(agent: ChatAgent): Promise<readonly string[]> {
  const { items } = await agent.store.list({ limit: 100 });
  return items.flatMap(({ key }) => (key === null ? [] : [key]));
}
