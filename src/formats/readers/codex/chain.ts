/**
 * Makes the ids and parents of Codex entries, which have none.
 *
 * The chain advances with each item that has content. Its value is made from
 * the previous value and the item, never from the time or the file: a fork
 * repeats the lines of another thread with new times, and a file may be
 * compressed later. Equal beginnings have equal values, however items are
 * combined into entries, which depends on where a reading ended.
 */
import type { Json } from "../../../util/json.ts";
import { listIn, objectsIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";

export interface Turn {
  /** The entry that the prompt follows. */
  readonly before: string | null;
  readonly prompt: string;
}

/** The number of turns in the state. Rolling back more of them after a pause is very rare. */
const TURNS_MAX = 512;
const ABANDONED_MAX = 64;
const CALLS_MAX = 64;

export class CodexChain {
  readonly #seed: string;
  #last: string | null = null;
  #turns: Turn[] = [];
  /** First entries of turns that were rolled back: a repeated prompt becomes a new entry. */
  #abandoned: string[] = [];
  /** Ids made for calls, whose results have none either. */
  #calls: string[] = [];

  constructor(seed: string, state?: Json) {
    this.#seed = seed;
    const [last, turns, abandoned, calls] = listIn(state);
    this.#last = textIn(last) ?? null;
    this.#turns = objectsIn(turns).map(({ before, prompt }) => ({
      before: textIn(before) ?? null,
      prompt: textIn(prompt) ?? "",
    }));
    this.#abandoned = listIn(abandoned).flatMap((id) => textIn(id) ?? []);
    this.#calls = listIn(calls).flatMap((id) => textIn(id) ?? []);
  }

  /** The value at the last item. */
  get last(): string | null {
    return this.#last;
  }

  /** The value at the next item. */
  advance(type: string, content: unknown): string {
    let value = madeId(this.#last ?? this.#seed, type, JSON.stringify(content));
    while (this.#abandoned.includes(value)) value = madeId(value, "again");
    this.#last = value;
    return value;
  }

  /** Its result has no id either and is matched by order. */
  expectResult(callId: string): void {
    this.#calls = [...this.#calls, callId].slice(-CALLS_MAX);
  }

  /** The call that a result without an id answers, or a new id. */
  resultOf(value: string): string {
    return this.#calls.shift() ?? madeId(value, "result");
  }

  begin(turn: Turn): void {
    this.#turns.push(turn);
  }

  /** Whether there was anything to roll back. */
  rollBack(turns: number): boolean {
    const kept = Math.max(0, this.#turns.length - Math.max(0, turns));
    const gone = this.#turns.slice(kept);
    const [first] = gone;
    if (first === undefined) return false;
    this.#turns.length = kept;
    this.#last = first.before;
    this.#abandoned = [...this.#abandoned, ...gone.map(({ prompt }) => prompt)].slice(-ABANDONED_MAX);
    return true;
  }

  state(): Json {
    const turns = this.#turns.slice(-TURNS_MAX).map(({ before, prompt }) => ({ before, prompt }));
    return [this.#last, turns, this.#abandoned, this.#calls];
  }
}
