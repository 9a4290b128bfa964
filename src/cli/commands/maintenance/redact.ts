import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { checkEntry, exactEntryId } from "../../input/entry-reference.ts";
import { checkReference } from "../../input/reference.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { copiesLines } from "../../view/removed-view.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const typed = checkEntry(call.args[1] as string);
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  const entryId = await exactEntryId(conversation, typed);
  const { id, at, entries, blobs, bytes, copies } = await conversation.redact(entryId);
  if (call.json) call.out.json({ id, at, entries, blobs, bytes, copies });
  else {
    call.out.lines([
      `Erased the content of entry ${safeLine(entryId)} in ${safeLine(reference)}`,
      ...copiesLines(call.out, copies),
    ]);
  }
  return EXIT_DONE;
}
