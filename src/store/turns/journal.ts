import { invalid } from "../../errors.ts";
import type { JsonObject } from "../../util/json.ts";
import type { StoreAccess } from "../access.ts";

/** The minimum interval between writes; text that arrives in between is batched. */
const FLUSH_EVERY_MS = 20;

/** A message can have 64 MiB, and a character at most three bytes in it, or six where it must be escaped. */
const TEXT_MAX = 10 * 1024 * 1024;

/** Streamed text on its way to the disk. */
export class Journal {
  readonly #store: StoreAccess;
  readonly #conversation: string;
  readonly #turn: string;
  readonly #epoch: number;
  #header: JsonObject | undefined;
  #text = "";
  #written = 0;
  #flushing: Promise<void> | undefined;
  #lastFlush = 0;
  /** How many wait until nothing is pending: the text is about to become a message, so there is no pause. */
  #waiting = 0;
  #endPause: (() => void) | undefined;

  constructor(store: StoreAccess, conversation: string, turn: string, epoch: number) {
    this.#store = store;
    this.#conversation = conversation;
    this.#turn = turn;
    this.#epoch = epoch;
  }

  get text(): string {
    return this.#text;
  }

  begin(header: JsonObject): Promise<unknown> {
    this.#header = header;
    return this.#push("");
  }

  /** Replace the header. Durable when it resolves. */
  async rename(header: JsonObject): Promise<void> {
    await this.settled();
    this.#header = header;
    await this.#push("");
  }

  /** The text so far became a message; the next one starts. */
  restart(header: JsonObject): void {
    this.#text = "";
    this.#written = 0;
    this.#header = header;
    this.#flushing = this.#flush(this.#push(""));
    this.#flushing.catch(() => {});
  }

  /** It did not become a message after all. Text that is already on disk is not written again. */
  takeBack(text: string): void {
    this.#text = text + this.#text;
    this.#written = 0;
  }

  add(text: string): Promise<void> {
    if (this.#text.length + text.length > TEXT_MAX) {
      throw invalid(`A streamed answer can have at most ${TEXT_MAX} characters`, "text");
    }
    this.#text += text;
    this.#flushing ??= this.#flush();
    const flushed = this.#flushing;
    // A caller that does not await it must not crash from an unhandled rejection.
    flushed.catch(() => {});
    return flushed;
  }

  /** Resolves when no write is pending. Text that could not be written is still in `text`. */
  async settled(): Promise<void> {
    this.#waiting++;
    this.#endPause?.();
    while (this.#flushing !== undefined) await this.#flushing.catch(() => {});
    this.#waiting--;
  }

  /** `first` is a pending write. If it fails, the next one includes its text. */
  async #flush(first?: Promise<unknown>): Promise<void> {
    try {
      await first?.catch(() => {});
      await this.#pause(this.#lastFlush + FLUSH_EVERY_MS - performance.now());
      // One at a time; text that arrives meanwhile waits for the next.
      while (this.#written < this.#text.length) {
        this.#lastFlush = performance.now();
        this.#written = await this.#push(this.#text.slice(this.#written));
      }
    } finally {
      this.#flushing = undefined;
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#waiting > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#endPause = undefined;
  }

  async #push(text: string): Promise<number> {
    const header = this.#header;
    const position = this.#written;
    const pushed = this.#store.queue.push({
      type: "journal",
      conversation: this.#conversation,
      epoch: this.#epoch,
      turn: this.#turn,
      header,
      position,
      text,
    });
    await pushed;
    if (this.#header === header) this.#header = undefined;
    return position + text.length;
  }
}
