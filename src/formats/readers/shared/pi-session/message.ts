/** Messages of pi, by role. */
import type { Message } from "../../../../message/types.ts";
import { defined, type JsonObject } from "../../../../util/json.ts";
import { filledIn, objectIn, textIn } from "../../../../util/values.ts";
import { madeId } from "../../../contract/ids.ts";
import { contentIn, type PiContext, usageIn } from "./content.ts";

/** The message of an entry; `undefined` when its role is not known. */
export function messageIn(message: JsonObject, context: PiContext): Message | undefined {
  const role = textIn(message.role) ?? "";
  return Object.hasOwn(READERS, role) ? READERS[role]?.(message, context) : undefined;
}

type Reader = (message: JsonObject, context: PiContext) => Message;

const READERS: Readonly<Record<string, Reader>> = {
  user: readUser,
  assistant: readAnswer,
  toolResult: readResult,
  bashExecution: readExecution,
  custom: customIn,
  hookMessage: customIn,
  system: readSystem,
  branchSummary: readSummary,
  compactionSummary: readSummary,
};

/** OpenClaw marks messages that it wrote itself. */
function readUser({ content, runtimeContext }: JsonObject, context: PiContext): Message {
  const isInjected = runtimeContext !== undefined && runtimeContext !== null && runtimeContext !== false;
  const extra = isInjected ? { extra: { pi: { injected: true } } } : {};
  return { role: "user", content: contentIn(content, context), ...extra };
}

function readAnswer(message: JsonObject, context: PiContext): Message {
  const { content, model, responseModel, usage, stopReason, errorMessage } = message;
  const error = filledIn(errorMessage);
  return {
    role: "assistant",
    content: contentIn(content, context),
    ...defined({
      model: filledIn(model) ?? filledIn(responseModel),
      usage: usageIn(usage),
      stopReason: filledIn(stopReason),
      extra: error === undefined ? undefined : { pi: { error } },
    }),
  };
}

function readResult({ toolCallId, content, isError }: JsonObject, context: PiContext): Message {
  const known = filledIn(toolCallId);
  const made = known ?? context.calls.shift() ?? madeId(context.entryId, "result");
  const block = {
    type: "tool_result",
    tool_use_id: made,
    content: contentIn(content, context),
    ...(isError === true && { is_error: true }),
    ...(known === undefined && { paired: "order" }),
  };
  return { role: "user", content: [block] };
}

/** A command that the user ran. The model sees it as a message of the user. */
function readExecution(message: JsonObject): Message {
  const { command, output, exitCode, cancelled, truncated, fullOutputPath, excludeFromContext } = message;
  const shown = textIn(output) ?? "";
  const rest = { exitCode, cancelled, truncated, fullOutputPath, excludeFromContext };
  return {
    role: "user",
    content: `$ ${textIn(command) ?? ""}${shown === "" ? "" : `\n${shown}`}`,
    extra: { pi: { role: "bashExecution", ...defined(rest) } },
  };
}

/** Content that an extension put into the context. */
export function customIn(message: JsonObject, context: PiContext): Message {
  const { content, customType, display } = message;
  const extra = { role: "custom", ...defined({ customType, display }) };
  return { role: "user", content: contentIn(content, context), extra: { pi: extra } };
}

/** Instructions: the text, then the sections by name. `null` removes a section. */
function readSystem({ content, sections }: JsonObject, context: PiContext): Message {
  const said = contentIn(content, context);
  const texts = Object.values(objectIn(sections) ?? {}).flatMap((text) => filledIn(text) ?? []);
  if (texts.length === 0) return { role: "system", content: said };
  const first = typeof said === "string" ? (said === "" ? [] : [{ type: "text", text: said }]) : said;
  return { role: "system", content: [...first, ...texts.map((text) => ({ type: "text", text }))] };
}

function readSummary({ role, summary }: JsonObject): Message {
  return { role: "user", content: textIn(summary) ?? "", extra: { pi: defined({ role }) } };
}
