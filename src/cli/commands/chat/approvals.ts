/** Asks on the terminal whether a tool may run. */
import type { ApprovalRequest } from "../../../agent/index.ts";
import type { LineInput } from "../../../channel/terminal/line-input.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";

const ANSWERS = ["yes", "no", "always"] as const;
type Answer = (typeof ANSWERS)[number];

/** An input is shown whole, so that nothing is approved unseen; a longer one is refused. */
const INPUT_CHARS_MAX = 20_000;
const CLEAR_LINE = "\r\u001b[K";

export class Approvals {
  readonly #input: LineInput;
  readonly #call: Call;
  /** Tools that the user allowed for the rest of this chat. */
  readonly #always = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(input: LineInput, call: Call) {
    this.#input = input;
    this.#call = call;
  }

  /** One question at a time. */
  readonly approve = (request: ApprovalRequest): Promise<boolean> => {
    const answer = this.#last.then(() => this.#ask(request));
    this.#last = answer.catch(() => {});
    return answer;
  };

  async #ask({ tool, input, signal }: ApprovalRequest): Promise<boolean> {
    if (this.#always.has(tool)) return true;
    const { out } = this.#call;
    const what = safeLine(`${tool} ${JSON.stringify(input)}`);
    if (what.length > INPUT_CHARS_MAX) {
      out.note(`${tool} was not allowed: its input is too long to be shown`);
      return false;
    }
    const question = `${out.style("yellow", "Allow")} ${what}? (yes/no/always) `;
    const answer = await this.#answer(question, signal);
    if (answer === "always") this.#always.add(tool);
    return answer !== "no";
  }

  /** A word and Enter: of what a user types ahead, a letter must not be an answer. */
  async #answer(question: string, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      process.stdout.write(`${CLEAR_LINE}${question}`);
      const line = await this.#input.answer(signal);
      process.stdout.write("\n");
      if (line === undefined) return "no";
      const word = line.trim().toLowerCase();
      const found = ANSWERS.find((answer) => answer === word || answer[0] === word);
      if (found !== undefined) return found;
    }
  }
}
