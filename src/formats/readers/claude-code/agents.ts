import type { Json } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import { callsIn, type Line, textOf } from "./line.ts";

/** The call that started a sub-agent. */
export interface AgentCall {
  readonly toolUse: string;
  /** The type of agent, if the call names it. */
  readonly agent: string | undefined;
}

const CALLS_MAX = 200;

/** Which call started which sub-agent. */
export class AgentCalls {
  /** By the id of the call: the fingerprint of its prompt, and the type of agent. */
  readonly #prompts: Map<string, { readonly print: string; readonly agent: string | undefined }> = new Map();

  constructor(saved?: Json) {
    for (const item of listIn(saved)) {
      const [toolUse, print, agent] = listIn(item);
      if (typeof toolUse === "string" && typeof print === "string") {
        this.#prompts.set(toolUse, { print, agent: textIn(agent) });
      }
    }
  }

  /** Remember the calls of an answer that contain a prompt. */
  see(line: Line): void {
    if (line.kind !== "assistant") return;
    for (const { id, input } of callsIn(line)) {
      const { prompt, subagent_type: agent } = objectIn(input) ?? {};
      if (typeof id !== "string" || typeof prompt !== "string") continue;
      this.#prompts.set(id, { print: madeId(prompt), agent: filledIn(agent) });
      if (this.#prompts.size > CALLS_MAX) this.#forgetOldest();
    }
  }

  /** The call whose prompt a sub-agent begins with. A call starts one sub-agent, so it is found once. */
  claim(first: Line): AgentCall | undefined {
    if (first.kind !== "user") return undefined;
    const wanted = madeId(textOf(first));
    for (const [toolUse, { print, agent }] of this.#prompts) {
      if (print !== wanted) continue;
      this.#prompts.delete(toolUse);
      return { toolUse, agent };
    }
    return undefined;
  }

  state(): Json {
    return [...this.#prompts].map(([toolUse, { print, agent }]) => [toolUse, print, agent ?? null]);
  }

  #forgetOldest(): void {
    const oldest = this.#prompts.keys().next();
    if (!oldest.done) this.#prompts.delete(oldest.value);
  }
}
