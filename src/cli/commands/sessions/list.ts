import { LIMIT_MAX } from "../../../store/access.ts";
import type { ConversationQuery } from "../../../store/index.ts";
import { defined } from "../../../util/json.ts";
import type { Call, Result } from "../../command.ts";
import { channelOption } from "../../input/channel.ts";
import { integerOf } from "../../input/integer.ts";
import { givenTime } from "../../input/time.ts";
import { rememberList } from "../../store/last-list.ts";
import { openToRead } from "../../store/open-store.ts";
import { storeTarget } from "../../store/store-target.ts";
import { conversationTable, infoJson, trashJson, trashTable } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<Result> {
  const query = queryOf(call);
  const target = storeTarget(call.values);
  await using store = await openToRead(call, target);
  const { items, cursor } = (await store?.list(query)) ?? { items: [], cursor: null };
  const json = { items: items.map(query.trash ? trashJson : infoJson), cursor };
  if (call.json) return { json };
  // An empty one too: its rows are not those of the list before it.
  if (store !== undefined)
    rememberList(
      call,
      target,
      items.map(({ id }) => id),
    );
  if (items.length === 0) return { json, notes: [noneText(query)] };
  return {
    json,
    lines: query.trash ? trashTable(call.out, items) : conversationTable(call.out, items),
    notes: cursor === null ? [] : [`More conversations: add --cursor ${cursor}`],
  };
}

function queryOf(call: Call): ConversationQuery {
  const { values, flags } = call;
  const limit = values.get("limit");
  return {
    trash: flags.has("trash"),
    // Programs get the title, which is stored.
    firstWords: !call.json,
    ...defined({
      channel: channelOption(call),
      title: values.get("title"),
      model: values.get("model"),
      after: givenTime(call, "after"),
      before: givenTime(call, "before"),
      // Checked here too, so that the error names the option.
      limit: limit === undefined ? undefined : integerOf(limit, "limit", LIMIT_MAX),
      cursor: values.get("cursor"),
    }),
  };
}

function noneText({ trash, channel, title, model, after, before }: ConversationQuery): string {
  const isFiltered = [channel, title, model, after, before].some((filter) => filter !== undefined);
  if (isFiltered) return `No conversation${trash ? " in the trash" : ""} matches.`;
  return trash ? "The trash is empty." : "No conversations.";
}
