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
  /** Characters of the storable text that are on disk. */
  #written = 0;
  /** They, if secrets are removed: a text that turns out to be another is not continued. */
  #onDisk = "";
  /** Resolves when all text is on disk, or in a message. */
  #flushing: Promise<void> | undefined;
  /** The write in progress. */
  #writing: Promise<unknown> | undefined;
  #lastFlush = 0;
  /** Set while the text is about to become a message: until then nothing is written. */
  #held: PromiseWithResolvers<void> | undefined;
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

  async begin(header: JsonObject): Promise<void> {
    this.#header = header;
    await this.#write();
  }

  /** Replace the header. Durable when it resolves, with all text before it. */
  async rename(header: JsonObject): Promise<void> {
    await this.hold();
    this.#header = header;
    const written = this.#write();
    this.resume();
    await written;
  }

  /**
   * Wait for the write in progress and start no other. The text is about to become a message, and need not be written
   * twice.
   */
  async hold(): Promise<void> {
    this.#held ??= Promise.withResolvers<void>();
    this.#endPause?.();
    while (this.#writing !== undefined) await this.#writing.catch(() => {});
  }

  resume(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** The text so far becomes a message in the same commit; the next one starts. */
  restart(header: JsonObject): void {
    this.#text = "";
    this.#written = 0;
    this.#onDisk = "";
    this.#header = header;
    // If it fails, the next write includes the header.
    this.#write().catch(() => {});
  }

  /** It did not become a message after all. Text that is already on disk is not written again. */
  takeBack(text: string): void {
    this.#text = text + this.#text;
    this.#written = 0;
    this.#onDisk = "";
  }

  /** The first `length` characters are in the log, and the journal is removed. */
  end(length: number): void {
    this.#written = length;
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

  async #flush(): Promise<void> {
    try {
      await this.#pause(this.#lastFlush + FLUSH_EVERY_MS - performance.now());
      for (;;) {
        // One at a time; text that arrives meanwhile waits for the next.
        if (this.#held !== undefined) await this.#held.promise;
        else if (this.#writing !== undefined) await this.#writing.catch(() => {});
        else if (this.#written < this.#storable().length) {
          this.#lastFlush = performance.now();
          await this.#write();
        } else return;
      }
    } finally {
      this.#flushing = undefined;
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#held !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#endPause = undefined;
  }

  /** The text as it can be on disk by now. */
  #storable(): string {
    const { redaction } = this.#store;
    if (redaction === undefined) return this.#text;
    const clean = redaction.streamed(this.#text);
    return clean.startsWith(this.#onDisk) ? clean : this.#onDisk;
  }

  /** All text that is not on disk, and the header if that is new. */
  async #write(): Promise<void> {
    const header = this.#header;
    const position = this.#written;
    const text = this.#storable().slice(position);
    const writing = this.#store.queue.push({
      type: "journal",
      conversation: this.#conversation,
      epoch: this.#epoch,
      turn: this.#turn,
      header,
      position,
      text,
    });
    this.#writing = writing;
    try {
      await writing;
      if (this.#header === header) this.#header = undefined;
      this.#written = position + text.length;
      if (this.#store.redaction !== undefined) this.#onDisk += text;
    } finally {
      this.#writing = undefined;
    }
  }
}
