import { listTokens } from "../../../gateway/auth/records/tokens.ts";
import type { Call, Result } from "../../command.ts";
import { nextCommand } from "../../invocation.ts";
import { tokenTable } from "./view.ts";
import { withRecords } from "./with-records.ts";

export async function run(call: Call): Promise<Result> {
  const items = await withRecords(call, ({ records }) => listTokens(records));
  const json = { items, cursor: null };
  if (items.length > 0) return { json, lines: tokenTable(call.out, items, Date.now()) };
  const create = nextCommand("token create --name backup", call.values);
  return { json, lines: ["No tokens yet."], notes: [`To create one: ${create}`] };
}
