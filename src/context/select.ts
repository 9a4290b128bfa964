/** Which units are sent: all of them, or the end of the conversation and what is pinned. */
import { invalid } from "../errors.ts";
import type { Message, Role } from "../message/types.ts";
import type { Budget } from "./budget.ts";
import { cutMessage } from "./cut.ts";
import type { Boundary } from "./ledger.ts";
import { leftOutNotice, openingNotice, summaryMessage } from "./notes.ts";
import type { Part, Prepared } from "./prepared.ts";
import { estimateTokens } from "./tokens.ts";

/** How a strategy departs from the plain fit. */
export interface Arrangement {
  /** Nothing before this position is kept, the pinned message apart. */
  readonly from?: number;
  /** So many items stand before the summary, and are the first to go when room is short. */
  readonly head?: number;
  readonly summaryRole?: Role;
  /** All or nothing: nothing is cut or left out. */
  readonly whole?: boolean;
}

/** What there is to choose from. */
export interface Choice {
  readonly prepared: Prepared;
  readonly budget: Budget;
  readonly arrangement: Arrangement;
  readonly summaryText: string | undefined;
  /** How many items there are. */
  readonly count: number;
  /** Messages that were not loaded: behind the summary, and simply missing. */
  readonly summarised: number;
  readonly unseen: number;
}

/** A message of ours, with what it costs. */
export interface Note {
  readonly message: Message;
  readonly tokens: number;
}

export interface Selection {
  /** Units up to this one stand before the summary. */
  readonly headEnd: number;
  readonly summary: Note | undefined;
  readonly pinned: Part | undefined;
  /** Units from this one on. */
  readonly start: number;
  readonly boundary: Boundary;
  /** There is room for a notice. */
  readonly noticeFits: boolean;
}

export function select(choice: Choice): Selection {
  return everything(choice) ?? theEnd(choice) ?? alone(choice);
}

export function note(message: Message, { factor }: Budget): Note {
  return { message, tokens: estimateTokens(message, factor) };
}

/** What a notice takes at most. */
function noticeTokens({ budget, count, summarised, unseen }: Choice): number {
  const notices = [leftOutNotice(count + summarised + unseen), openingNotice()];
  return Math.max(...notices.map((message) => note(message, budget).tokens));
}

/** Less of a summary than this says nothing. */
const SUMMARY_TOKENS_MIN = 64;

/** The summary takes at most half of the room, and is cut in the middle beyond that. */
function summaryOf({ summaryText, arrangement, budget }: Choice): Note | undefined {
  if (summaryText === undefined) return undefined;
  const message = summaryMessage(summaryText, arrangement.summaryRole ?? "user");
  const uncut = note(message, budget);
  const max = Math.floor(budget.available / 2);
  if (arrangement.whole || uncut.tokens <= max) return uncut;
  return max < SUMMARY_TOKENS_MIN ? undefined : note(cutMessage(message, max, budget.factor), budget);
}

function everything(choice: Choice): Selection | undefined {
  const { prepared, budget, arrangement, summaryText, unseen } = choice;
  const { from = 0, head = 0, whole = false } = arrangement;
  const summary = summaryOf(choice);
  if (from > 0 || (summary === undefined && summaryText !== undefined)) return undefined;
  const start = prepared.unitFrom(head);
  const begins =
    start === 0 && summary !== undefined ? summary.message.role === "user" : prepared.userFirst();
  const noticeFits = unseen > 0 || !begins;
  const room = budget.available - (summary?.tokens ?? 0) - (noticeFits ? noticeTokens(choice) : 0);
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
  const message = `The conversation takes ${tokens} tokens, and ${available} are left for it`;
  return invalid(message, "contextLength", { tokens, available });
}

/** A notice is worth its tokens when it takes no more than this part of the room. */
const NOTICE_SHARE = 4;
/** With less room than this the user's message is not cut for the sake of what follows it. */
const SHARED_ROOM_MIN = 256;

function theEnd(choice: Choice): Selection | undefined {
  const { prepared, budget, arrangement } = choice;
  const { from = 0, head = 0 } = arrangement;
  const reserved = noticeTokens(choice);
  if (reserved * NOTICE_SHARE > budget.available) return undefined;
  const summary = summaryOf(choice);
  const room = budget.available - reserved - (summary?.tokens ?? 0);
  const first = prepared.unitFrom(Math.max(from, head));
  const user = prepared.lastUserUnit();
  const { start, pinned } = endAndUser(choice, first, user, room);
  let kept = prepared.indexOf(start, choice.count);
  if (start === first) kept = Math.max(from, head);
  else if (pinned !== undefined && start === user + 1) kept = pinned.index + 1;
  const boundary = { window: from, kept, gap: head };
  return { headEnd: 0, summary, pinned, start, boundary, noticeFits: true };
}

/** The longest end from unit `first` on, and what the user said if that lies before it. */
function endAndUser(
  choice: Choice,
  first: number,
  user: number,
  room: number,
): Pick<Selection, "start" | "pinned"> {
  const { prepared } = choice;
  const said = user === -1 ? undefined : prepared.userPart(user);
  if (said === undefined || said.tokens <= room) {
    const start = suffix(prepared, first, room, user, said?.tokens ?? 0);
    return { start, pinned: start > user ? said : undefined };
  }
  const start = suffix(prepared, Math.max(first, user + 1), sharedRoom(room), -1, 0);
  return { start, pinned: cutPart(choice, said, room, start) };
}

/** What may follow a message that has to be cut: a run must see what its tools answered. */
function sharedRoom(room: number): number {
  return room < SHARED_ROOM_MIN ? 0 : Math.floor(room / 2);
}

/** The first unit of the longest end that fits, while the tokens of the pinned unit stay free for it. */
function suffix(prepared: Prepared, first: number, room: number, pinned: number, reserved: number): number {
  let used = 0;
  let start = prepared.count;
  for (let number = start - 1; number >= first; number--) {
    used += prepared.unit(number).tokens;
    if (used + (number > pinned ? reserved : 0) > room) break;
    start = number;
  }
  return start;
}

function cutPart({ prepared, budget }: Choice, part: Part, room: number, start: number): Part {
  const tokensMax = room - prepared.tokensFrom(start, room);
  const message = cutMessage(part.message, tokensMax, budget.factor);
  return { ...part, message, tokens: estimateTokens(message, budget.factor), truncated: true };
}

/** The user's last message and nothing else. */
function alone(choice: Choice): Selection {
  const { prepared, budget, arrangement, count } = choice;
  const start = prepared.count;
  const user = prepared.lastUserUnit();
  const said = user === -1 ? undefined : prepared.userPart(user);
  const fits = said === undefined || said.tokens <= budget.available;
  const pinned = fits ? said : cutPart(choice, said, budget.available, start);
  const boundary = { window: arrangement.from ?? 0, kept: count, gap: arrangement.head ?? 0 };
  return { headEnd: 0, summary: undefined, pinned, start, boundary, noticeFits: false };
}
