/** Reads messages that a user types on a terminal. */
import { StringDecoder } from "node:string_decoder";
import { safeLine } from "../../util/visible-text.ts";
import { type Complete, completed } from "./completion.ts";
import { type EditedText, EMPTY, edited } from "./edited-text.ts";
import type { InputHistory } from "./input-history.ts";
import { InputView } from "./input-view.ts";
import { type Key, KeyReader, PASTE_OFF, PASTE_ON } from "./keys.ts";

/** A message, Ctrl-C for the second time, or the end of the input. */
export type Typed = { readonly text: string } | "interrupt" | "close";

export interface LineInputOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly prompt: string;
  /** The prompt in its colours. */
  readonly shownPrompt: (prompt: string) => string;
  readonly history: InputHistory;
  readonly complete: Complete;
  /** Shown at the first Ctrl-C. */
  readonly interruptHint: string;
}

export class LineInput implements Disposable {
  readonly #options: LineInputOptions;
  readonly #view: InputView;
  readonly #keys = new KeyReader();
  readonly #decoder = new StringDecoder("utf8");
  #state: EditedText = EMPTY;
  /** What was typed before the history was opened, and how far back it is. */
  #draft: EditedText = EMPTY;
  #age = -1;
  /** Typed while nobody was reading. */
  #waiting: Key[] = [];
  #onTyped: ((typed: Typed) => void) | undefined;
  #onAnswer: ((key: Key) => void) | undefined;
  #interrupts = 0;
  #isClosed = false;
  #isCompleting = false;
  /** Called for Ctrl-C while nobody reads: the first time, and the second time. */
  onInterrupt: (times: number) => void = () => {};

  constructor(options: LineInputOptions) {
    this.#options = options;
    const { input, output, prompt, shownPrompt } = options;
    this.#view = new InputView(() => output.columns || 80, prompt, shownPrompt);
    input.setRawMode(true);
    input.on("data", this.#onData);
    input.on("end", this.#onEnd);
    output.on("resize", this.#onResize);
    output.write(PASTE_ON);
  }

  /** Show the prompt and wait for a message. */
  read(): Promise<Typed> {
    return new Promise((resolve) => {
      this.#onTyped = resolve;
      this.#state = EMPTY;
      this.#age = -1;
      this.#draw();
      if (this.#isClosed) this.#finish("close");
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const key of waiting) this.#press(key);
    });
  }

  /** A line as an answer to a question, while nobody reads. `undefined` if an answer no longer matters. */
  answer(signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      let typed = "";
      const done = (line?: string): void => {
        this.#onAnswer = undefined;
        resolve(line);
      };
      this.#onAnswer = (key) => {
        if (key.name === "enter") done(typed);
        else if (key.name === "text") {
          typed += key.text;
          this.#print(safeLine(key.text));
        } else if (key.name === "backspace" && typed !== "") {
          typed = [...typed].slice(0, -1).join("");
          this.#print("\b \b");
        }
      };
      if (signal.aborted) done();
      else signal.addEventListener("abort", () => done(), { once: true });
    });
  }

  [Symbol.dispose](): void {
    const { input, output } = this.#options;
    input.off("data", this.#onData);
    input.off("end", this.#onEnd);
    output.off("resize", this.#onResize);
    output.write(PASTE_OFF);
    input.setRawMode(false);
    input.pause();
  }

  readonly #onData = (data: Buffer): void => {
    for (const key of this.#keys.push(this.#decoder.write(data))) this.#press(key);
  };

  readonly #onEnd = (): void => {
    this.#isClosed = true;
    if (this.#onTyped === undefined) this.onInterrupt(2);
    else this.#finish("close");
  };

  readonly #onResize = (): void => {
    if (this.#onTyped !== undefined) this.#print(this.#view.resized(this.#state));
  };

  #press(key: Key): void {
    if (key.name === "interrupt") {
      this.#interrupt();
      return;
    }
    this.#interrupts = 0;
    if (this.#onAnswer !== undefined) this.#onAnswer(key);
    else if (this.#onTyped === undefined || this.#isCompleting) this.#waiting.push(key);
    else if (key.name === "enter") this.#enter();
    else if (key.name === "tab") this.#tab();
    else if (key.name === "clear") this.#print(`\u001b[H\u001b[2J${this.#view.cleared(this.#state)}`);
    else if (key.name === "close" && this.#state.text === "") this.#finish("close");
    else this.#edit(key.name === "close" ? { name: "delete" } : key);
  }

  #edit(key: Key): void {
    const next = edited(this.#state, key);
    const remembered = next === this.#state ? this.#remembered(key) : undefined;
    this.#state = remembered ?? next;
    this.#draw();
  }

  /** In the first and the last line, up and down show older and newer messages. */
  #remembered({ name }: Key): EditedText | undefined {
    const age = name === "up" ? this.#age + 1 : name === "down" ? this.#age - 1 : -2;
    if (age < -1) return undefined;
    if (this.#age === -1) this.#draft = this.#state;
    const text = age === -1 ? this.#draft.text : this.#options.history.at(age);
    if (text === undefined) return undefined;
    this.#age = age;
    return { text, cursor: text.length };
  }

  /** A backslash at the end of a line continues the message on the next one. */
  #enter(): void {
    const { text, cursor } = this.#state;
    if (cursor === text.length && text.endsWith("\\") && !text.endsWith("\\\\")) {
      this.#state = { text: `${text.slice(0, -1)}\n`, cursor: text.length };
      this.#draw();
    } else if (text.trim() !== "") {
      this.#options.history.add(text);
      this.#finish({ text });
    }
  }

  #tab(): void {
    this.#isCompleting = true;
    const { text, cursor } = this.#state;
    void this.#options
      .complete(text.slice(0, cursor))
      .catch(() => [])
      .then((candidates) => {
        this.#isCompleting = false;
        if (this.#onTyped === undefined) return;
        const result = completed(this.#state, candidates);
        if (result.candidates.length > 1) {
          this.#print(`${this.#view.leave()}${result.candidates.join("  ")}\r\n`);
        }
        this.#state = result.state;
        this.#draw();
        for (const key of this.#waiting.splice(0)) this.#press(key);
      });
  }

  #interrupt(): void {
    this.#interrupts++;
    this.#waiting = [];
    if (this.#onTyped === undefined) this.onInterrupt(this.#interrupts);
    else if (this.#interrupts > 1) this.#finish("interrupt");
    else {
      this.#print(`${this.#view.leave()}${this.#options.interruptHint}\r\n`);
      this.#state = EMPTY;
      this.#draw();
    }
  }

  #finish(typed: Typed): void {
    const resolve = this.#onTyped;
    this.#onTyped = undefined;
    this.#print(this.#view.leave());
    resolve?.(typed);
  }

  #draw(): void {
    this.#print(this.#view.show(this.#state));
  }

  #print(text: string): void {
    this.#options.output.write(text);
  }
}
