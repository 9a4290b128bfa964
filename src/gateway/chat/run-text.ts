/** The text of a run as it is streamed, one step at a time. */
import { Chunker } from "../../agent/chunker/index.ts";
import type { Redaction } from "../../store/write/redaction.ts";
import type { Publish } from "./publish.ts";
import { StreamedText } from "./streamed-text.ts";

/** Tokens that come within this time are one event: a thousand clients need not have a frame for each. */
const TOGETHER_MS = 20;

export class RunText {
  readonly #run: string;
  readonly #publish: Publish;
  readonly #chunker = new Chunker();
  /** Of the current step. */
  readonly #text: StreamedText;
  readonly #thinking: StreamedText;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: string, publish: Publish, redaction: Redaction | undefined) {
    this.#run = run;
    this.#publish = publish;
    this.#text = new StreamedText(redaction);
    this.#thinking = new StreamedText(redaction);
  }

  add(text: string): void {
    this.#text.add(text);
    this.#flushSoon();
  }

  addThinking(text: string): void {
    this.#thinking.add(text);
    this.#flushSoon();
  }

  /** All that may be shown, which is published by then. */
  shown(): { readonly text: string; readonly thinking: string } {
    this.flush();
    return { text: this.#text.shown, thinking: this.#thinking.shown };
  }

  flush(): void {
    this.#flush(false);
  }

  /** Nothing follows in this step. */
  complete(): void {
    this.#flush(true);
  }

  /** It became an entry. */
  end(): void {
    this.complete();
    for (const { text } of this.#chunker.end()) this.#publish("chat.chunk", { run: this.#run, text });
    this.#text.clear();
    this.#thinking.clear();
  }

  #flush(isComplete: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const run = this.#run;
    const thinking = this.#thinking.next(isComplete);
    if (thinking !== "") this.#publish("chat.thinking", { run, text: thinking });
    const position = this.#text.shown.length;
    const text = this.#text.next(isComplete);
    if (text === "") return;
    this.#publish("chat.delta", { run, position, text });
    for (const chunk of this.#chunker.push(text)) this.#publish("chat.chunk", { run, text: chunk.text });
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), TOGETHER_MS);
  }
}
