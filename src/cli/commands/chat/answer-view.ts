/** Shows an answer while it arrives: Markdown on a terminal, the text as it is elsewhere. */
import type { AgentEvent } from "../../../agent/index.ts";
import { MarkdownStream } from "../../../channel/terminal/markdown-stream.ts";
import { colours, noColours } from "../../../channel/terminal/paint.ts";
import { SafeStream } from "../../../channel/terminal/safe-stream.ts";
import { WrappedText } from "../../../channel/terminal/wrapped-text.ts";
import { cut } from "../../../util/text-width.ts";
import { safeLine } from "../../../util/visible-text.ts";
import { hasColours } from "../../terminal/colours.ts";

const WAITING = "…";
const CLEAR_LINE = "\r\u001b[K";
const COLUMNS_DEFAULT = 80;

/** A text as it is, wrapped on a terminal. */
class PlainStream {
  readonly #out: WrappedText;

  constructor(columns: () => number) {
    this.#out = new WrappedText(columns, noColours);
  }

  push(text: string): string {
    return this.#out.write(text);
  }

  end(): string {
    return this.#out.isInLine ? this.#out.write("\n") : "";
  }
}

export class AnswerView {
  readonly #stream: NodeJS.WriteStream;
  readonly #isTerminal: boolean;
  readonly #paint: typeof colours;
  readonly #safe = new SafeStream();
  readonly #text: MarkdownStream | PlainStream;
  #isWaiting = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#isTerminal = stream.isTTY === true;
    const columns = (): number =>
      this.#isTerminal ? stream.columns || COLUMNS_DEFAULT : Number.POSITIVE_INFINITY;
    const isColoured = hasColours(stream);
    this.#paint = isColoured ? colours : noColours;
    this.#text = isColoured ? new MarkdownStream(columns, colours) : new PlainStream(columns);
  }

  /** Show that an answer is on its way. */
  wait(): void {
    if (!this.#isTerminal || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#stream.write(this.#paint(["dim"], WAITING));
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case "text":
        this.#print(this.#text.push(this.#safe.push(event.text)));
        break;
      case "tool-start":
        this.#note(`→ ${event.name} ${JSON.stringify(event.input)}`);
        this.wait();
        break;
      case "tool-end":
        if (event.isError) this.#note(`✗ ${event.output}`);
        this.wait();
        break;
      case "failure":
        this.#note(`${event.model} did not answer: ${event.error.message}. Asking the next one`);
        this.wait();
        break;
      case "compaction":
        if (event.state === "started")
          this.#note("Summarising the beginning of this conversation, which is long");
        if (event.state === "failed") this.#note(`The summary failed: ${event.error.message}`);
        this.wait();
        break;
      default:
        break;
    }
  }

  /** The answer is complete. */
  end(): void {
    this.#print(this.#text.push(this.#safe.end()) + this.#text.end());
    this.#clearWaiting();
  }

  /** One line beside the answer: of no use to a program that reads it. */
  #note(line: string): void {
    // Anywhere, what is said before it and after it are two lines.
    this.#print(this.#text.push(this.#safe.end()) + this.#text.end());
    if (!this.#isTerminal) return;
    this.#clearWaiting();
    const columns = (this.#stream.columns || COLUMNS_DEFAULT) - 1;
    this.#stream.write(`${this.#paint(["dim"], cut(safeLine(line), columns))}\n`);
  }

  #print(text: string): void {
    if (text === "") return;
    this.#clearWaiting();
    this.#stream.write(text);
  }

  #clearWaiting(): void {
    if (this.#isWaiting) this.#stream.write(CLEAR_LINE);
    this.#isWaiting = false;
  }
}
