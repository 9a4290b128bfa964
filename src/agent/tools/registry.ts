import { ColloquyError } from "../../errors.ts";
import type { ToolDescription } from "../model/chat-model.ts";
import { checkTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

/** The tools of a run, by name. Iterating returns them in the order in which they were added. */
export class ToolRegistry implements Iterable<Tool> {
  readonly #tools = new Map<string, Tool>();

  constructor(tools: Iterable<Tool> = []) {
    this.add(...tools);
  }

  /** All or none. A name that is taken is a `CONFLICT`: no tool replaces another one without being told to. */
  add(...tools: readonly Tool[]): void {
    const names = new Set(this.#tools.keys());
    for (const tool of tools) {
      checkTool(tool);
      if (names.has(tool.name)) throw nameTaken(tool.name);
      names.add(tool.name);
    }
    for (const tool of tools) this.#tools.set(tool.name, tool);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  get size(): number {
    return this.#tools.size;
  }

  /** The tools as a model sees them. */
  descriptions(): ToolDescription[] {
    return [...this.#tools.values()].map(describe);
  }

  [Symbol.iterator](): Iterator<Tool> {
    return this.#tools.values();
  }
}

function describe({ name, description, inputSchema }: Tool): ToolDescription {
  return { name, description, inputSchema };
}

export function nameTaken(name: string): ColloquyError {
  const message = `There are two tools called ${name}. Rename or remove one of them`;
  return new ColloquyError("CONFLICT", message, { details: { name } });
}
