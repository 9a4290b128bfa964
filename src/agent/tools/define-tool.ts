import { invalid } from "../../errors.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import { assertJson } from "../../util/json.ts";
import type { InputOf, ObjectSchema } from "./schema-type.ts";
import type { Tool, ToolCall, ToolOutput } from "./tool.ts";

/** A tool whose input has the type that its schema describes. */
export interface ToolDefinition<S extends ObjectSchema> extends Omit<Tool, "inputSchema" | "run"> {
  readonly inputSchema: S;
  run(input: InputOf<S>, call: ToolCall): ToolOutput | Promise<ToolOutput>;
}

/** A checked tool. Its caller checks inputs with `checkInput` before `run`, which can rely on their type. */
export function defineTool<const S extends ObjectSchema>(definition: ToolDefinition<S>): Tool;
export function defineTool(definition: ToolDefinition<ObjectSchema>): Tool {
  checkTool(definition);
  return definition;
}

const TOOL_NAME_MAX = 64;
const NAME = new RegExp(`^[A-Za-z0-9_-]{1,${TOOL_NAME_MAX}}$`);
const TIMEOUT_MAX_MS = 24 * 3_600_000;

/** What every provider accepts; names are not guessed or repaired. */
export function checkTool(tool: Tool): void {
  checkObject(tool, "tool");
  const { name, description, inputSchema, timeoutMs } = tool;
  if (typeof name !== "string" || !NAME.test(name)) {
    const shown = JSON.stringify(name)?.slice(0, TOOL_NAME_MAX + 2);
    throw invalid(`${shown} is not a tool name: use 1 to 64 letters, digits, "_" and "-"`, "name");
  }
  if (typeof description !== "string" || description.trim() === "") {
    throw invalid(
      `The tool ${name} must have a description, which is all that a model knows of it`,
      "description",
    );
  }
  assertJson(inputSchema, "inputSchema");
  if (inputSchema?.type !== "object") {
    throw invalid(`The inputSchema of the tool ${name} must have the type "object"`, "inputSchema");
  }
  if (typeof tool.run !== "function") throw invalid(`The tool ${name} must have a function run`, "run");
  if (tool.permit !== undefined && typeof tool.permit !== "function")
    throw invalid(`The permit of the tool ${name} must be a function`, "permit");
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS)) {
    throw invalid(`The timeoutMs of the tool ${name} must be from 1 to ${TIMEOUT_MAX_MS}`, "timeoutMs");
  }
}
