/**
 * Which call a tool's message of ChatGPT answers.
 *
 * The export has no ids of calls. Along each path the results answer the calls
 * of the same turn: the oldest open one of that tool, or, because a tool may
 * send several messages, the one that it answered before.
 */
import { madeId } from "../../contract/ids.ts";

interface Call {
  readonly id: string;
  readonly name: string;
}

interface Turn {
  readonly open: readonly Call[];
  readonly answered: readonly Call[];
}

const NOTHING: Turn = { open: [], answered: [] };

export class CallPairs {
  /** By node: the calls of its turn up to there, open and answered. */
  readonly #turns: Map<string, Turn> = new Map();

  /** Neither a call nor a result. A question begins a turn. */
  pass(node: string, parent: string | null, isQuestion: boolean): void {
    this.#turns.set(node, isQuestion ? NOTHING : this.#turn(parent));
  }

  /** The id of a call that the node makes. */
  call(node: string, parent: string | null, name: string): string {
    const { open, answered } = this.#turn(parent);
    const id = madeId("chatgpt call", node);
    this.#turns.set(node, { open: [...open, { id, name }], answered });
    return id;
  }

  /** The id of the call that the node answers, if any. */
  answer(node: string, parent: string | null, tool: string): string | undefined {
    const { open, answered } = this.#turn(parent);
    const same = (call: Call): boolean => family(call.name) === family(tool);
    const call = open.find(same) ?? answered.findLast(same) ?? open[0] ?? answered.at(-1);
    const others = answered.filter((known) => known !== call);
    this.#turns.set(node, {
      open: open.filter((known) => known !== call),
      answered: call === undefined ? answered : [...others, call],
    });
    return call?.id;
  }

  #turn(parent: string | null): Turn {
    return (parent === null ? undefined : this.#turns.get(parent)) ?? NOTHING;
  }
}

/** A call to `browser.search` is answered by `browser`. */
function family(name: string): string {
  return name.split(".", 1)[0] ?? name;
}
