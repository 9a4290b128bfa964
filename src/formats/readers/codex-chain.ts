/**
 * The ids of Codex entries, which have none, and what each one follows.
 *
 * An id is made of the id before it and of what the entry says, never of the
 * time or the file: a fork repeats the lines of another thread with new times,
 * and a file comes back compressed. The same beginning gives the same ids.
 */
import type { Json } from "../../util/json.ts";
import { madeId } from "../import/ids.ts";
import { listIn, objectsIn, textIn } from "../import/values.ts";

interface Turn {
  /** What the prompt follows. */
  readonly before: string | null;
  readonly prompt: string;
}

/** What the state remembers. Rolling back more turns than that after a pause is as rare as it sounds. */
const TURNS_MAX = 512;
const ABANDONED_MAX = 64;
const CALLS_MAX = 64;

export class CodexChain {
  readonly #seed: string;
  #last: string | null = null;
  #turns: Turn[] = [];
  /** First entries of turns that were rolled back: the same prompt again is another entry. */
  #abandoned: string[] = [];
  /** Ids that were made for calls, whose results have none either. */
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

  get last(): string | null {
    return this.#last;
  }

  /** An id for a call that has none, by its place in the answer that comes next. */
  callId(index: number): string {
    return madeId(this.#last ?? this.#seed, "call", index);
  }

  /** Its result, which has no id either, is the next one of those. */
  expectResult(callId: string): void {
    this.#calls = [...this.#calls, callId].slice(-CALLS_MAX);
  }

  resultOf(index: number): string {
    return this.#calls.shift() ?? madeId(this.#last ?? this.#seed, "result", index);
  }

  /** The next entry's id, and what it follows. */
  add(type: string, content: unknown, isPrompt = false): { id: string; parent: string | null } {
    const parent = this.#last;
    let id = madeId(parent ?? this.#seed, type, JSON.stringify(content));
    while (this.#abandoned.includes(id)) id = madeId(id, "again");
    if (isPrompt) this.#turns.push({ before: parent, prompt: id });
    this.#last = id;
    return { id, parent };
  }

  rollBack(turns: number): void {
    const kept = Math.max(0, this.#turns.length - Math.max(0, turns));
    const gone = this.#turns.slice(kept);
    const [first] = gone;
    if (first === undefined) return;
    this.#turns.length = kept;
    this.#last = first.before;
    this.#abandoned = [...this.#abandoned, ...gone.map(({ prompt }) => prompt)].slice(-ABANDONED_MAX);
  }

  state(): Json {
    const turns = this.#turns.slice(-TURNS_MAX).map(({ before, prompt }) => ({ before, prompt }));
    return [this.#last, turns, this.#abandoned, this.#calls];
  }
}
