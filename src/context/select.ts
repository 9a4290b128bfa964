/** Choose the units to send: all of them, or a suffix of the conversation and the pinned messages. */
import { invalid } from "../errors.ts";
import type { Message, Role } from "../message/types.ts";
import type { Budget } from "./budget.ts";
import { cutMessage } from "./cut.ts";
import type { Boundary } from "./ledger.ts";
import { omissionNotice, openingNotice, summaryMessage } from "./notes.ts";
import { estimateTokens } from "./tokens.ts";
import type { CountedItem, UnitList } from "./unit-list.ts";

/** How a strategy differs from a plain fit. */
export interface Arrangement {
  /** Nothing before this position is kept, except the pinned message. */
  readonly from?: number;
  /** This many items precede the summary. They are the first to be dropped. */
  readonly head?: number;
  readonly summaryRole?: Role;
  /** All or nothing: cut and drop nothing. */
  readonly whole?: boolean;
}

/** What a selection is made from. */
export interface Candidates {
  readonly prepared: UnitList;
  readonly budget: Budget;
  readonly arrangement: Arrangement;
  readonly summaryText: string | undefined;
  /** Number of items. */
  readonly count: number;
  /** Messages that were not loaded: covered by the summary, and not covered. */
  readonly summarised: number;
  readonly unseen: number;
}

/** A message with its size. */
export interface CountedMessage {
  readonly message: Message;
  readonly tokens: number;
}

export interface Selection {
  /** Units before this one precede the summary. */
  readonly headEnd: number;
  readonly summary: CountedMessage | undefined;
  readonly pinned: CountedItem | undefined;
  /** The first unit of the suffix. */
  readonly start: number;
  readonly boundary: Boundary;
  /** There is room for a notice. */
  readonly noticeFits: boolean;
}

export function select(candidates: Candidates): Selection {
  return selectAll(candidates) ?? selectSuffix(candidates) ?? selectLastUser(candidates);
}

export function counted(message: Message, { factor }: Budget): CountedMessage {
  return { message, tokens: estimateTokens(message, factor) };
}

/** The most that a notice can take. */
function noticeTokens({ budget, count, summarised, unseen }: Candidates): number {
  const notices = [omissionNotice(count + summarised + unseen), openingNotice()];
  return Math.max(...notices.map((message) => counted(message, budget).tokens));
}

/** A summary cut below this says nothing. */
const SUMMARY_TOKENS_MIN = 64;

/** The summary may take half of the tokens available; a longer one is cut in the middle. */
function summaryOf({ summaryText, arrangement, budget }: Candidates): CountedMessage | undefined {
  if (summaryText === undefined) return undefined;
  const message = summaryMessage(summaryText, arrangement.summaryRole ?? "user");
  const uncut = counted(message, budget);
  const max = Math.floor(budget.available / 2);
  if (arrangement.whole || uncut.tokens <= max) return uncut;
  return max < SUMMARY_TOKENS_MIN ? undefined : counted(cutMessage(message, max, budget.factor), budget);
}

function selectAll(candidates: Candidates): Selection | undefined {
  const { prepared, budget, arrangement, summaryText, unseen } = candidates;
  const { from = 0, head = 0, whole = false } = arrangement;
  const summary = summaryOf(candidates);
  if (from > 0 || (summary === undefined && summaryText !== undefined)) return undefined;
  const start = prepared.unitFrom(head);
  const begins =
    start === 0 && summary !== undefined ? summary.message.role === "user" : prepared.userFirst();
  const noticeFits = unseen > 0 || !begins;
  const room = budget.available - (summary?.tokens ?? 0) - (noticeFits ? noticeTokens(candidates) : 0);
  const tokens = prepared.tokensFrom(0, whole ? Number.POSITIVE_INFINITY : room);
  if (tokens > room && whole) throw tooLong(tokens, room);
  if (tokens > room) return undefined;
  return {
    headEnd: start,
    summary,
    pinned: undefined,
    start,
    boundary: { window: 0, kept: 0, gap: head },
    noticeFits,
  };
}

function tooLong(tokens: number, available: number): Error {
  const message = `The conversation takes ${tokens} tokens, but only ${available} are available`;
  return invalid(message, "maxTokens", { tokens, available });
}

/** A notice is worth sending only if it takes at most one in this many of the available tokens. */
const NOTICE_SHARE = 4;
/** With less room than this, the user's message is not cut to make room for what follows it. */
const SHARED_ROOM_MIN = 256;

function selectSuffix(candidates: Candidates): Selection | undefined {
  const { prepared, budget, arrangement } = candidates;
  const { from = 0, head = 0 } = arrangement;
  const reserved = noticeTokens(candidates);
  if (reserved * NOTICE_SHARE > budget.available) return undefined;
  const summary = summaryOf(candidates);
  const room = budget.available - reserved - (summary?.tokens ?? 0);
  const first = prepared.unitFrom(Math.max(from, head));
  const user = prepared.lastUserUnit();
  const { start, pinned } = suffixAndUser(candidates, first, user, room);
  let kept = prepared.indexOf(start, candidates.count);
  if (start === first) kept = Math.max(from, head);
  else if (pinned !== undefined && start === user + 1) kept = pinned.index + 1;
  const boundary = { window: from, kept, gap: head };
  return { headEnd: 0, summary, pinned, start, boundary, noticeFits: true };
}

/** The longest suffix from unit `first` on, and the user's last message if it precedes that. */
function suffixAndUser(
  candidates: Candidates,
  first: number,
  user: number,
  room: number,
): Pick<Selection, "start" | "pinned"> {
  const { prepared } = candidates;
  const said = user === -1 ? undefined : prepared.userPart(user);
  if (said === undefined || said.tokens <= room) {
    const start = suffix(prepared, first, room, user, said?.tokens ?? 0);
    return { start, pinned: start > user ? said : undefined };
  }
  const start = suffix(prepared, Math.max(first, user + 1), sharedRoom(room), -1, 0);
  return { start, pinned: cutPart(candidates, said, room, start) };
}

/** Room for what follows a message that has to be cut: a run must see its tool results. */
function sharedRoom(room: number): number {
  return room < SHARED_ROOM_MIN ? 0 : Math.floor(room / 2);
}

/** The first unit of the longest suffix that fits while `reserved` tokens stay free for the pinned unit. */
function suffix(prepared: UnitList, first: number, room: number, pinned: number, reserved: number): number {
  let used = 0;
  let start = prepared.count;
  for (let number = start - 1; number >= first; number--) {
    used += prepared.unit(number).tokens;
    if (used + (number > pinned ? reserved : 0) > room) break;
    start = number;
  }
  return start;
}

function cutPart(
  { prepared, budget }: Candidates,
  part: CountedItem,
  room: number,
  start: number,
): CountedItem {
  const tokensMax = room - prepared.tokensFrom(start, room);
  const message = cutMessage(part.message, tokensMax, budget.factor);
  return { ...part, message, tokens: estimateTokens(message, budget.factor), truncated: true };
}

function selectLastUser(candidates: Candidates): Selection {
  const { prepared, budget, arrangement, count } = candidates;
  const start = prepared.count;
  const user = prepared.lastUserUnit();
  const said = user === -1 ? undefined : prepared.userPart(user);
  const fits = said === undefined || said.tokens <= budget.available;
  const pinned = fits ? said : cutPart(candidates, said, budget.available, start);
  const boundary = { window: arrangement.from ?? 0, kept: count, gap: arrangement.head ?? 0 };
  return { headEnd: 0, summary: undefined, pinned, start, boundary, noticeFits: false };
}
