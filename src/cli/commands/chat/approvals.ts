/** Asks on the terminal whether a tool may run. */
import type { ApprovalRequest } from "../../../agent/index.ts";
import type { LineInput } from "../../../channel/terminal/line-input.ts";
import { cut } from "../../../util/text-width.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";

const INPUT_COLUMNS_MAX = 400;
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
    const what = `${tool} ${cut(safeLine(JSON.stringify(input)), INPUT_COLUMNS_MAX)}`;
    process.stdout.write(`${CLEAR_LINE}${out.style("yellow", "Allow")} ${safeLine(what)}? (y/n/always) `);
    const answer = await this.#letter(signal);
    process.stdout.write(`${answer}\n`);
    if (answer === "always") this.#always.add(tool);
    return answer !== "no";
  }

  /** Every other key is ignored: what a user types ahead must not be an answer. */
  async #letter(signal: AbortSignal): Promise<"yes" | "no" | "always"> {
    for (;;) {
      const key = await this.#input.answer(signal);
      if (key === undefined) return "no";
      const letter = key.name === "text" ? key.text.toLowerCase() : "";
      if (letter === "y") return "yes";
      if (letter === "n") return "no";
      if (letter === "a") return "always";
    }
  }
}
