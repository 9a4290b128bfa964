import { invalid } from "../../src/errors.ts";
import { isRole } from "../../src/message/rules.ts";
import { defined, isPlainObject, type JsonObject } from "../../src/util/json.ts";
import { parseTime } from "../../src/util/time.ts";
import { checkNames, filesIn, filled, optionalText, recordsOf, type SetRecord, wrong } from "./records.ts";
import type { SetConversation, SetMessage, ToolCall } from "./set.ts";

/** A file holds one or more conversations: each begins with a record that names it, its messages follow. */
export function readConversations(folder: string): SetConversation[] {
  const conversations: (SetConversation & { readonly messages: SetMessage[] })[] = [];
  for (const file of filesIn(folder)) {
    let isNamed = false;
    for (const record of recordsOf(file)) {
      if (record.values.conversation !== undefined) {
        conversations.push(conversationOf(record));
        isNamed = true;
      } else if (isNamed) conversations.at(-1)?.messages.push(messageOf(record));
      else
        throw invalid(`${record.place}: a record with "conversation" must come first`, "conversation", {
          place: record.place,
        });
    }
  }
  checkConversations(conversations, folder);
  return conversations;
}

function checkConversations(conversations: readonly SetConversation[], folder: string): void {
  if (conversations.length === 0)
    throw invalid(`${folder} has no conversations in .jsonl files`, "conversations", { folder });
  const seen = new Set<string>();
  for (const { id, messages } of conversations) {
    if (seen.has(id)) throw invalid(`Two conversations are called "${id}"`, "conversation", { id });
    seen.add(id);
    if (messages.length === 0)
      throw invalid(`The conversation "${id}" has no messages`, "conversation", { id });
    const ids = new Set<string>();
    for (const message of messages) {
      if (ids.has(message.id))
        throw invalid(`Two messages of "${id}" have the id "${message.id}"`, "id", { id: message.id });
      ids.add(message.id);
    }
  }
}

function conversationOf(record: SetRecord): SetConversation & { readonly messages: SetMessage[] } {
  checkNames(record, ["conversation"], ["title", "key"]);
  return {
    id: filled(record, "conversation"),
    ...defined({ title: optionalText(record, "title"), key: optionalText(record, "key") }),
    messages: [],
  };
}

function messageOf(record: SetRecord): SetMessage {
  checkNames(record, ["id", "role", "at", "text"], ["name", "tools"]);
  const { role, text } = record.values;
  if (!isRole(role)) throw wrong(record, "role", "user, assistant or system");
  if (typeof text !== "string") throw wrong(record, "text", "a string");
  const at = filled(record, "at");
  if (parseTime(at) === undefined) throw wrong(record, "at", "a time such as 2026-03-01T09:30:00Z");
  const tools = toolsOf(record);
  if (text.trim() === "" && tools === undefined) throw wrong(record, "text", "a string that is not empty");
  return {
    id: filled(record, "id"),
    role,
    at,
    text,
    ...defined({ name: optionalText(record, "name"), tools }),
  };
}

function toolsOf(record: SetRecord): ToolCall[] | undefined {
  const { tools, role } = record.values;
  if (tools === undefined) return undefined;
  if (role !== "assistant") throw wrong(record, "role", "assistant, because it has tools");
  if (!Array.isArray(tools) || tools.length === 0) throw wrong(record, "tools", "a list of tool calls");
  return tools.map((tool: unknown) => {
    if (!isPlainObject(tool)) throw wrong(record, "tools", "a list of tool calls");
    const call = { place: record.place, values: tool };
    checkNames(call, ["name", "input"], ["output"]);
    if (!isPlainObject(tool.input)) throw wrong(call, "input", "an object");
    return {
      name: filled(call, "name"),
      input: tool.input as JsonObject,
      ...defined({ output: optionalText(call, "output") }),
    };
  });
}
