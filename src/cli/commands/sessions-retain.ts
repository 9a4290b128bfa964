import { invalid } from "../../errors.ts";
import { checkLabel } from "../../message/validate.ts";
import type { RetentionLimits, RetentionReport } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { allConversations } from "../all-conversations.ts";
import type { Call } from "../command.ts";
import { EXIT_DONE } from "../exit.ts";
import { fold } from "../fold.ts";
import { openToClean } from "../open-store.ts";
import type { Output } from "../output.ts";
import { DRY_RUN_NOTE, removedTable, totalOf } from "../removed-view.ts";
import { safeLine } from "../safe-text.ts";
import { givenNumber } from "../whole-number.ts";

export async function run(call: Call): Promise<number> {
  const limits = limitsOf(call);
  const given = call.values.get("channel");
  const channel = given === undefined ? undefined : checkLabel(given, "channel");
  const policy = channel === undefined ? limits : { channels: { [channel]: limits } };
  const dryRun = call.flags.has("dry-run");
  await using store = await openToClean(call, dryRun);
  const report = (await store?.retain(policy, { dryRun })) ?? { dryRun, trashed: [], removed: [], bytes: 0 };
  const { trashed, removed, bytes } = report;
  if (call.json) call.out.json({ dryRun, trashed, removed, bytes });
  else {
    call.out.lines(reportLines(call.out, report));
    if (channel !== undefined && store !== undefined && !(await hasChannel(store, channel)))
      call.out.note(`No conversation has the channel ${safeLine(channel)}.`);
  }
  return EXIT_DONE;
}

function limitsOf(call: Call): RetentionLimits {
  const limits = {
    maxAgeDays: givenNumber(call, "max-age-days"),
    maxMessages: givenNumber(call, "max-messages"),
    maxBytes: givenNumber(call, "max-bytes"),
    trashDays: givenNumber(call, "trash-days", 0),
  };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  if (given.length === 0) {
    throw invalid(
      "Nothing is removed by default: give a limit, such as --max-age-days 365 or --trash-days 30",
      "limits",
    );
  }
  return Object.fromEntries(given);
}

function reportLines(out: Output, { dryRun, trashed, removed, bytes }: RetentionReport): string[] {
  if (trashed.length + removed.length === 0) return ["Everything is within the limits."];
  const trashedBytes = trashed.reduce((sum, item) => sum + item.bytes, 0);
  const part = (items: RetentionReport["removed"], size: number, what: string): string[] =>
    items.length === 0
      ? []
      : [
          ...removedTable(out, "conversation", items),
          ...fold(
            `${totalOf(items, "conversation", size)} ${dryRun ? "would go" : "went"} ${what}.`,
            out.columns,
          ),
          "",
        ];
  const lines = [...part(trashed, trashedBytes, "to the trash"), ...part(removed, bytes, "for good")];
  return dryRun ? [...lines, DRY_RUN_NOTE] : lines.slice(0, -1);
}

/** A name that was mistyped should not look like a clean channel. */
async function hasChannel(store: Store, channel: string): Promise<boolean> {
  for (const trash of [false, true]) {
    for await (const info of allConversations(store, trash)) if (info.channel === channel) return true;
  }
  return false;
}
