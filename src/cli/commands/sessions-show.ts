import type { Entry } from "../../message/types.ts";
import { allEntries, lastOf } from "../all-entries.ts";
import type { Call } from "../command.ts";
import { infoJson, infoLines } from "../conversation-view.ts";
import { EXIT_DONE } from "../exit.ts";
import { summaryOf } from "../message-view.ts";
import { conversationOf, openToRead } from "../open-store.ts";
import type { Output } from "../output.ts";
import { checkReference } from "../reference.ts";
import { safeLine } from "../safe-text.ts";
import { table } from "../table.ts";
import { timeAgo } from "../time-ago.ts";

/** The only branch of this version, so that the path and the whole tree are the same entries. */
const BRANCH = "main";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const last = lastOf(call);
  await using store = await openToRead(call);
  const conversation = await conversationOf(store, reference);
  const info = await conversation.info();
  const entries = await allEntries(conversation, "entries", last);
  if (call.json) call.out.json({ info: { ...infoJson(info), head: info.head }, branch: BRANCH, entries });
  else {
    call.out.lines(infoLines(call.out, info));
    if (entries.length > 0) call.out.lines(["", ...entryTable(call.out, entries)]);
  }
  return EXIT_DONE;
}

function entryTable(out: Output, entries: readonly Entry[]): string[] {
  return table(
    out,
    [
      { title: "SEQ", rank: 0, align: "right" },
      { title: "WHAT", rank: 2 },
      { title: "WHEN", rank: 3 },
      { title: "TEXT", rank: 1, min: 8 },
    ],
    entries.map((entry) => [
      String(entry.seq),
      safeLine(entry.message?.role ?? entry.kind),
      timeAgo(entry.at),
      safeLine(summaryOf(entry)),
    ]),
  );
}
