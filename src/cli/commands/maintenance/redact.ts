import type { Conversation } from "../../../store/conversation.ts";
import type { RedactTarget } from "../../../store/index.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { checkEntry, exactEntryId } from "../../input/entry-reference.ts";
import { checkReference } from "../../input/reference.ts";
import { PROGRAM } from "../../invocation.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { copiesLines } from "../../view/removed-view.ts";

export async function run(call: Call): Promise<Result> {
  const reference = checkReference(call.args[0] as string);
  const choose = choiceOf(call);
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  const { target, what } = await choose(conversation);
  const { id, at, entries, blobs, bytes, copies } = await conversation.redact(target);
  return {
    json: { id, at, entries, blobs, bytes, copies },
    lines: [`Erased ${what} in ${shown(call, reference, id)}`, ...copiesLines(call.out, copies)],
  };
}

interface Chosen {
  readonly target: RedactTarget;
  readonly what: string;
}

/** One thing to erase. Options are checked before the store is opened. */
function choiceOf(call: Call): (conversation: Conversation) => Promise<Chosen> {
  const [, typed] = call.args;
  const [branch, label] = [call.values.get("branch"), call.values.get("label")];
  const given = [typed, branch, label].filter((value) => value !== undefined).length;
  if (given + (call.flags.has("key") ? 1 : 0) !== 1) {
    throw new UsageError(
      `"sessions redact" requires one of ENTRY, --branch, --label and --key. See ${PROGRAM} sessions redact --help`,
      "ENTRY",
    );
  }
  if (branch !== undefined) return async () => ({ target: { branch }, what: "the name of a branch" });
  if (label !== undefined) return async () => ({ target: { label }, what: "a label" });
  if (typed === undefined) return async () => ({ target: { key: true }, what: "the session key" });
  const entry = checkEntry(typed);
  return async (conversation) => {
    const target = await exactEntryId(conversation, entry);
    return { target, what: `the content of entry ${safeLine(target)}` };
  };
}

/** The key is not repeated once it is erased. */
function shown(call: Call, reference: string, id: string): string {
  return call.flags.has("key") ? id : safeLine(reference);
}
