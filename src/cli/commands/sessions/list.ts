import { LIMIT_MAX } from "../../../store/access.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { integerOf } from "../../input/integer.ts";
import { openToRead } from "../../store/open-store.ts";
import {
  conversationTable,
  infoJson,
  TRASH_COLUMNS_MIN,
  trashJson,
  trashTable,
} from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<number> {
  const trash = call.flags.has("trash");
  const limit = call.values.get("limit");
  // Checked here too, so that the error names the option.
  const limitCount = limit === undefined ? undefined : integerOf(limit, "limit", LIMIT_MAX);
  await using store = await openToRead(call);
  const page = (await store?.list({
    trash,
    limit: limitCount,
    cursor: call.values.get("cursor"),
  })) ?? { items: [], cursor: null };
  const { items, cursor } = page;
  if (call.json) call.out.json({ items: items.map(trash ? trashJson : infoJson), cursor });
  else if (items.length > 0)
    call.out.lines(trash ? trashTable(call.out, items) : conversationTable(call.out, items));
  else call.out.note(trash ? "The trash is empty." : "No conversations.");
  if (call.json) return EXIT_DONE;
  if (trash && items.length > 0 && call.out.columns < TRASH_COLUMNS_MIN)
    call.out.note("The ids are cut; use --json or a wider window to see them in full.");
  if (cursor !== null) call.out.note(`More conversations: add --cursor ${cursor}`);
  return EXIT_DONE;
}
