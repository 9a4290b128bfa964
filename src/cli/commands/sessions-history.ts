import { textOf } from "../../message/text.ts";
import type { Entry } from "../../message/types.ts";
import { allEntries, lastOf } from "../all-entries.ts";
import { branchOf, branchOption } from "../branch-name.ts";
import type { Call } from "../command.ts";
import { infoJson } from "../conversation-view.ts";
import { EXIT_DONE } from "../exit.ts";
import { readableOf } from "../message-view.ts";
import { conversationOf, openToRead } from "../open-store.ts";
import type { Output } from "../output.ts";
import { checkReference } from "../reference.ts";
import { safeLine, safeText } from "../safe-text.ts";
import { timeAgo } from "../time-ago.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const last = lastOf(call);
  const branch = branchOption(call);
  await using store = await openToRead(call);
  const conversation = await conversationOf(store, reference);
  const info = await conversation.info();
  if (branch !== undefined) await branchOf(conversation, branch);
  const entries = await allEntries(conversation, "messages", last, branch === undefined ? {} : { branch });
  if (call.json) call.out.json({ info: infoJson(info), messages: entries.map(messageJson) });
  else if (entries.length === 0) call.out.note("No messages yet.");
  else call.out.lines(entries.flatMap((entry, index) => messageLines(call.out, entry, index)));
  return EXIT_DONE;
}

function messageJson({ message, at, id }: Entry): Record<string, unknown> {
  return { role: message?.role ?? null, text: message === undefined ? "" : textOf(message), at, id };
}

/** The text is indented, so that no message can look like the heading of another one. */
function messageLines(out: Output, { message, at }: Entry, index: number): string[] {
  if (message === undefined) return [];
  const heading = `${out.style("bold", safeLine(message.role))} ${out.style("dim", `· ${timeAgo(at)}`)}`;
  const text = safeText(readableOf(message)).split("\n");
  return [...(index === 0 ? [] : [""]), heading, ...text.map((line) => `  ${line}`.trimEnd())];
}
