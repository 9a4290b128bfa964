/** A repaired conversation as units, which are cut and counted on first use. */
import { isToolResult } from "../message/blocks.ts";
import type { Message } from "../message/types.ts";
import { type Budget, type ItemOptions, maxToolResultTokensOf } from "./budget.ts";
import { cutToolResults } from "./cut.ts";
import { type ContextItem, isRealUser } from "./item.ts";
import type { KeptItem } from "./ledger.ts";
import { holeNotice } from "./notes.ts";
import { type Repaired, repairPairs, type SentItem } from "./pairs.ts";
import { estimateTokens, weightFor } from "./tokens.ts";

/** A message of the conversation to send, with its size. */
export interface CountedItem extends KeptItem {
  readonly message: Message;
}

/** Messages that are sent together or not at all. */
export interface Unit {
  readonly parts: readonly CountedItem[];
  readonly tokens: number;
}

export class UnitList {
  readonly repaired: Repaired;
  /** Where each unit starts among the repaired messages. */
  readonly #starts: number[] = [];
  readonly #units: Unit[] = [];
  /** The repaired messages that follow a hole. */
  readonly #afterHole = new Set<SentItem>();
  readonly #budget: Budget;
  readonly #resultWeightMax: number;

  /** `whole` leaves tool results uncut. */
  constructor(items: readonly ContextItem[], budget: Budget, options: ItemOptions, whole = false) {
    const maxTokens = maxToolResultTokensOf(options);
    this.repaired = repairPairs(items);
    this.#budget = budget;
    this.#resultWeightMax = whole ? Number.POSITIVE_INFINITY : weightFor(maxTokens, budget.factor);
    const { sent } = this.repaired;
    for (let at = 0; at < sent.length; at += this.#sentAt(at).calls ? 2 : 1) this.#starts.push(at);
    let next = 0;
    for (const [hole, { afterHole }] of items.entries()) {
      if (!afterHole) continue;
      // The first message after it may not be sent, such as a result whose call is lost.
      while (next < sent.length && this.#sentAt(next).index < hole) next++;
      if (next < sent.length) this.#afterHole.add(this.#sentAt(next));
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  unit(number: number): Unit {
    this.#units[number] ??= this.#make(number);
    return this.#units[number];
  }

  /** Position of a unit's first message; `end` after the last unit. */
  indexOf(number: number, end: number): number {
    const start = this.#starts[number];
    return start === undefined ? end : this.#sentAt(start).index;
  }

  /** The first unit that starts at `index` or later. */
  unitFrom(index: number): number {
    if (index === 0) return 0;
    const found = this.#starts.findIndex((start) => this.#sentAt(start).index >= index);
    return found === -1 ? this.count : found;
  }

  /** Whether the first message, system messages aside, is the user's, as APIs require. */
  userFirst(): boolean {
    const first = this.repaired.sent.find(({ message }) => message.role !== "system");
    return first?.message.role !== "assistant";
  }

  /** The unit with the last real user message, or -1. */
  lastUserUnit(): number {
    for (let number = this.count - 1; number >= 0; number--) {
      if (isRealUser(this.#sentAt(this.#endOf(number)).message)) return number;
    }
    return -1;
  }

  /** The user's part of a unit, without tool results in the same message. */
  userPart(number: number): CountedItem {
    const item = this.#sentAt(this.#endOf(number));
    const { content } = item.message;
    const said = typeof content === "string" ? content : content.filter((block) => !isToolResult(block));
    const same = typeof said === "string" || said.length === content.length;
    const message = same ? item.message : { ...item.message, content: said };
    const tokens = estimateTokens(message, this.#budget.factor);
    return { index: item.index, message, tokens, truncated: !same, pinned: true, joined: [] };
  }

  /** The tokens of the units from `from` on. Stops counting above `limit`. */
  tokensFrom(from: number, limit: number): number {
    let tokens = 0;
    for (let number = this.count - 1; number >= from && tokens <= limit; number--) {
      tokens += this.unit(number).tokens;
    }
    return tokens;
  }

  #sentAt(at: number): SentItem {
    return this.repaired.sent[at] as SentItem;
  }

  #endOf(number: number): number {
    return (this.#starts[number + 1] ?? this.repaired.sent.length) - 1;
  }

  #make(number: number): Unit {
    const sent = this.repaired.sent.slice(this.#starts[number], this.#endOf(number) + 1);
    const afterHole = sent.find((item) => this.#afterHole.has(item));
    const parts = sent.map((item) => this.#part(item));
    // It counts towards the message that follows.
    if (afterHole !== undefined)
      parts.unshift(this.#part({ ...afterHole, message: holeNotice(), joined: [] }));
    return { parts, tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0) };
  }

  #part({ index, message: whole, joined }: SentItem): CountedItem {
    const message = cutToolResults(whole, this.#resultWeightMax);
    const tokens = estimateTokens(message, this.#budget.factor);
    return { index, message, tokens, truncated: message !== whole, pinned: false, joined };
  }
}
