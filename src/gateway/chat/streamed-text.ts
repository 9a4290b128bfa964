/** A text that grows, and how much of it may be shown. */
import type { Redaction } from "../../store/write/redaction.ts";

export class StreamedText {
  readonly #redaction: Redaction | undefined;
  #shown = "";
  #unsent = "";
  /** As the model wrote it: a secret is recognised only together with what is around it. */
  #given = "";

  constructor(redaction: Redaction | undefined) {
    this.#redaction = redaction;
  }

  get shown(): string {
    return this.#shown;
  }

  add(text: string): void {
    this.#unsent += text;
    if (this.#redaction !== undefined) this.#given += text;
  }

  /** What can be shown in addition to what is. A store that redacts shows whole lines until the text is `complete`. */
  next(complete: boolean): string {
    if (!complete && this.#redaction !== undefined && !this.#unsent.includes("\n")) return "";
    const part = this.#redaction === undefined ? this.#unsent : this.#clean(this.#redaction, complete);
    this.#unsent = "";
    this.#shown += part;
    return part;
  }

  clear(): void {
    this.#shown = this.#unsent = this.#given = "";
  }

  #clean(redaction: Redaction, complete: boolean): string {
    const clean = complete ? redaction.value(this.#given) : redaction.streamed(this.#given);
    return clean.startsWith(this.#shown) ? clean.slice(this.#shown.length) : "";
  }
}
