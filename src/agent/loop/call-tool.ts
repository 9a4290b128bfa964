/** One call of a tool. Whatever goes wrong becomes its result, for the model to read. */
import { ColloquyError } from "../../errors.ts";
import { textOf } from "../../message/text.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../message/types.ts";
import type { JsonObject } from "../../util/json.ts";
import { checkInput } from "../tools/check-input.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Tool, ToolCall, ToolOutput } from "../tools/tool.ts";
import { errorResult, toolResult } from "./tool-output.ts";
import { untilAborted } from "./until-aborted.ts";

export interface ToolLimits {
  readonly timeoutMs: number;
  readonly charsMax: number;
}

export const STOPPED = "Stopped by the user.";

/** The tool of a call, ready to run; or the result that says why it does not run. */
export function admit(tools: ToolRegistry, call: ToolUseBlock): Tool | ToolResultBlock {
  const { id, name, input, invalid_input: invalid } = call;
  const tool = tools.get(name);
  if (tool === undefined) return errorResult(id, unknownTool(name, tools));
  if (invalid !== undefined) return errorResult(id, `The arguments are not a JSON object: ${invalid}`);
  try {
    checkInput(tool.inputSchema, input);
    return tool;
  } catch (error) {
    return errorResult(id, messageOf(error));
  }
}

function unknownTool(name: string, tools: ToolRegistry): string {
  const names = [...tools].map((tool) => tool.name).join(", ");
  return `There is no tool called ${name}. ${names === "" ? "There are no tools." : `The tools are ${names}.`}`;
}

/** The result of a call that may not run. */
export async function refusal(
  tool: Tool,
  { id, input }: ToolUseBlock,
  call: ToolCall,
): Promise<ToolResultBlock | undefined> {
  try {
    await untilAborted(Promise.resolve(tool.permit?.(input, call)), call.signal);
    return undefined;
  } catch (error) {
    return errorResult(id, call.signal.aborted ? STOPPED : messageOf(error));
  }
}

/** Run it within its time limit. A tool that ignores its signal is left behind. */
export async function callTool(
  tool: Tool,
  { id, input }: ToolUseBlock,
  call: ToolCall,
  limits: ToolLimits,
): Promise<ToolResultBlock> {
  const timeoutMs = tool.timeoutMs ?? limits.timeoutMs;
  const limit = new AbortController();
  const overdue = new ColloquyError(
    "SERVICE_UNAVAILABLE",
    `The tool ${tool.name} did not finish within ${timeoutMs / 1000} s and was aborted.`,
  );
  const timer = setTimeout(() => limit.abort(overdue), timeoutMs);
  const signal = AbortSignal.any([call.signal, limit.signal]);
  try {
    const output = await untilAborted(ran(tool, input, { ...call, signal }), signal);
    return toolResult(id, output, limits.charsMax);
  } catch (error) {
    return errorResult(id, call.signal.aborted ? STOPPED : messageOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** A tool may throw before it returns a promise. */
async function ran(tool: Tool, input: JsonObject, call: ToolCall): Promise<ToolOutput> {
  return tool.run(input, call);
}

/** Code of others can throw anything. */
function messageOf(error: unknown): string {
  try {
    const text = String(error instanceof Error ? error.message : error);
    if (text.trim() !== "") return text;
  } catch {
    // It cannot be shown.
  }
  return "The tool failed without saying why.";
}

export function outputText({ content }: ToolResultBlock): string {
  return content === undefined || typeof content === "string"
    ? (content ?? "")
    : textOf({ content: content as { type: string }[] });
}
