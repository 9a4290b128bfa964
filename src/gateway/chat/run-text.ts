/** The text of a run as it is streamed, one step at a time. */
import { Chunker } from "../../agent/chunker/index.ts";
import type { Publish } from "./publish.ts";

/** Tokens that come within this time are one event: a thousand clients need not have a frame for each. */
const TOGETHER_MS = 20;

export class RunText {
  readonly #run: string;
  readonly #publish: Publish;
  readonly #chunker = new Chunker();
  /** Of the current step, as far as it was published. */
  #text = "";
  #thinking = "";
  #unsentText = "";
  #unsentThinking = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(run: string, publish: Publish) {
    this.#run = run;
    this.#publish = publish;
  }

  add(text: string): void {
    this.#unsentText += text;
    this.#flushSoon();
  }

  addThinking(text: string): void {
    this.#unsentThinking += text;
    this.#flushSoon();
  }

  /** All of it, which is published by then. */
  shown(): { readonly text: string; readonly thinking: string } {
    this.flush();
    return { text: this.#text, thinking: this.#thinking };
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const run = this.#run;
    const [text, thinking] = [this.#unsentText, this.#unsentThinking];
    this.#unsentText = this.#unsentThinking = "";
    if (thinking !== "") {
      this.#thinking += thinking;
      this.#publish("chat.thinking", { run, text: thinking });
    }
    if (text === "") return;
    const position = this.#text.length;
    this.#text += text;
    this.#publish("chat.delta", { run, position, text });
    for (const chunk of this.#chunker.push(text)) this.#publish("chat.chunk", { run, text: chunk.text });
  }

  /** It became an entry. */
  end(): void {
    this.flush();
    for (const { text } of this.#chunker.end()) this.#publish("chat.chunk", { run: this.#run, text });
    this.#text = this.#thinking = "";
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), TOGETHER_MS);
  }
}
