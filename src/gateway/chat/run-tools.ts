/** The tools of a run, with their state. */
import type { AgentEvent } from "../../agent/index.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import type { Redaction } from "../../store/write/redaction.ts";
import type { ToolState } from "../wire/frames.ts";

const SHOWN_CHARS_MAX = 2000;

export class RunTools {
  readonly #redaction: Redaction | undefined;
  readonly #tools = new Map<string, ToolState & { readonly startedMs: number }>();

  constructor(redaction: Redaction | undefined) {
    this.#redaction = redaction;
  }

  all(): ToolState[] {
    return [...this.#tools.values()].map(({ startedMs: _, ...tool }) => tool);
  }

  start({ id, name, input }: Extract<AgentEvent, { type: "tool-start" }>): ToolState {
    const text = shortened(JSON.stringify(cleaned(input, this.#redaction)));
    const tool = { id, name, state: "running", input: text, output: null, ms: null } as const;
    this.#tools.set(id, { ...tool, startedMs: performance.now() });
    return tool;
  }

  end({ id, name, isError, output }: Extract<AgentEvent, { type: "tool-end" }>): ToolState {
    const known = this.#tools.get(id);
    const tool: ToolState = {
      id,
      name,
      state: isError ? "failed" : "done",
      input: known?.input ?? "",
      output: shortened(cleaned(output, this.#redaction)),
      ms: known === undefined ? null : Math.round(performance.now() - known.startedMs),
    };
    this.#tools.set(id, { ...tool, startedMs: known?.startedMs ?? 0 });
    return tool;
  }
}

/** As the store would keep it. */
export function cleaned<T>(value: T, redaction: Redaction | undefined): T {
  return redaction === undefined ? value : redaction.value(value);
}

/** With secrets masked. */
export function shortened(text: string): string {
  const clean = redactSecrets(text).text;
  return clean.length <= SHOWN_CHARS_MAX ? clean : `${clean.slice(0, SHOWN_CHARS_MAX)}…`;
}
