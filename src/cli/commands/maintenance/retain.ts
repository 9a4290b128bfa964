import { invalid } from "../../../errors.ts";
import type { RetentionLimits, RetentionPolicy, RetentionReport } from "../../../store/index.ts";
import type { Store } from "../../../store/store.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { channelOption } from "../../input/channel.ts";
import { givenNumber } from "../../input/integer.ts";
import type { Output } from "../../output.ts";
import { openToClean } from "../../store/open-store.ts";
import { retentionSettings } from "../../store/store-settings.ts";
import { counted, numberText } from "../../terminal/count-text.ts";
import { wrapHard } from "../../terminal/wrap.ts";
import { nameOf } from "../../view/conversation-view.ts";
import { DRY_RUN_NOTE, removedTable, totalOf } from "../../view/removed-view.ts";

const KEPT_SHOWN = 5;

export async function run(call: Call): Promise<Result> {
  const limits = limitsOf(call);
  const channel = channelOption(call);
  const dryRun = call.flags.has("dry-run");
  await using store = await openToClean(call, dryRun);
  const policy = await policyOf(call, limits, channel);
  const force = call.flags.has("force");
  const report = (await store?.retain(policy, { dryRun, force })) ?? {
    dryRun,
    trashed: [],
    removed: [],
    bytes: 0,
  };
  const { trashed, removed, bytes } = report;
  const json = { dryRun, trashed, removed, bytes };
  if (call.json || store === undefined) return { json, lines: reportLines(call.out, report, []) };
  const kept = await keptOf(store, limits ?? {}, channel, trashed);
  const isUnknown = channel !== undefined && !(await hasChannel(store, channel));
  return {
    json,
    lines: reportLines(call.out, report, kept),
    notes: isUnknown ? [`No conversation has the channel ${safeLine(channel)}.`] : [],
  };
}

/** The given limits, or else those of the config. */
async function policyOf(
  call: Call,
  limits: RetentionLimits | undefined,
  channel: string | undefined,
): Promise<RetentionPolicy> {
  if (limits !== undefined) return channel === undefined ? limits : { channels: { [channel]: limits } };
  const policy = channel === undefined ? await retentionSettings(call) : undefined;
  if (policy !== undefined) return policy;
  throw invalid(
    "Nothing is removed by default: specify a limit, such as --max-age-days 365 or --trash-days 30, or set sessions.retention in the config",
    "limits",
  );
}

/** `undefined` when no limit was given. */
function limitsOf(call: Call): RetentionLimits | undefined {
  const limits = {
    maxAgeDays: givenNumber(call, "max-age-days", 0),
    maxMessages: givenNumber(call, "max-messages", 0),
    maxBytes: givenNumber(call, "max-bytes", 0),
    trashDays: givenNumber(call, "trash-days", 0),
  };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Conversations over a limit that are kept because they are the newest of their channel. */
async function keptOf(
  store: Store,
  { maxMessages = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: RetentionLimits,
  channel: string | undefined,
  trashed: RetentionReport["trashed"],
): Promise<string[]> {
  if (!Number.isFinite(Math.min(maxMessages, maxBytes))) return [];
  const { sizes } = await store.stats();
  const gone = new Set(trashed.map(({ id }) => id));
  const kept: string[] = [];
  for await (const info of store.list()) {
    if (gone.has(info.id) || (channel !== undefined && info.channel !== channel)) continue;
    const size = sizes[info.id] ?? 0;
    const over = [
      ...(info.messageCount > maxMessages ? [counted(info.messageCount, "message")] : []),
      ...(size > maxBytes ? [bytesText(size)] : []),
    ];
    if (over.length > 0) kept.push(`${nameOf(info)} (${over.join(", ")})`);
  }
  return kept;
}

function keptLines(out: Output, kept: readonly string[]): string[] {
  if (kept.length === 0) return [];
  const others = kept.length - KEPT_SHOWN;
  const names = kept.slice(0, KEPT_SHOWN).join(", ") + (others > 0 ? ` and ${numberText(others)} more` : "");
  return wrapHard(
    `Over the limits but kept: ${names}. The newest conversation of a channel is never removed because of its length or size.`,
    out.columns,
  );
}

function reportLines(
  out: Output,
  { dryRun, trashed, removed, bytes }: RetentionReport,
  kept: readonly string[],
): string[] {
  if (trashed.length + removed.length === 0) {
    return kept.length === 0 ? ["Everything is within the limits."] : keptLines(out, kept);
  }
  const trashedBytes = trashed.reduce((sum, item) => sum + item.bytes, 0);
  const part = (items: RetentionReport["removed"], size: number, what: string): string[] =>
    items.length === 0
      ? []
      : [
          ...removedTable(out, "conversation", items),
          ...wrapHard(
            `${totalOf(items, "conversation", size)} ${dryRun ? "would be" : "were"} ${what}.`,
            out.columns,
          ),
          "",
        ];
  const lines = [
    ...part(trashed, trashedBytes, "moved to the trash"),
    ...part(removed, bytes, "permanently removed"),
    ...(kept.length === 0 ? [] : [...keptLines(out, kept), ""]),
  ];
  return dryRun ? [...lines, DRY_RUN_NOTE] : lines.slice(0, -1);
}

/** Tells a mistyped channel from one within its limits. */
async function hasChannel(store: Store, channel: string): Promise<boolean> {
  for (const trash of [false, true]) {
    for await (const info of store.list({ trash })) if (info.channel === channel) return true;
  }
  return false;
}
