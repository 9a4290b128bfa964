import { LIMIT_MAX } from "../../../store/access.ts";
import type { Call, Result } from "../../command.ts";
import { integerOf } from "../../input/integer.ts";
import { openToRead } from "../../store/open-store.ts";
import {
  conversationTable,
  infoJson,
  TRASH_COLUMNS_MIN,
  trashJson,
  trashTable,
} from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<Result> {
  const trash = call.flags.has("trash");
  const limit = call.values.get("limit");
  // Checked here too, so that the error names the option.
  const limitCount = limit === undefined ? undefined : integerOf(limit, "limit", LIMIT_MAX);
  await using store = await openToRead(call);
  const query = { trash, limit: limitCount, cursor: call.values.get("cursor") };
  const { items, cursor } = (await store?.list(query)) ?? { items: [], cursor: null };
  const json = { items: items.map(trash ? trashJson : infoJson), cursor };
  if (items.length === 0) return { json, notes: [trash ? "The trash is empty." : "No conversations."] };
  const isCut = trash && call.out.columns < TRASH_COLUMNS_MIN;
  return {
    json,
    lines: trash ? trashTable(call.out, items) : conversationTable(call.out, items),
    notes: [
      ...(isCut ? ["The ids are cut; use --json or a wider window to see them in full."] : []),
      ...(cursor === null ? [] : [`More conversations: add --cursor ${cursor}`]),
    ],
  };
}
