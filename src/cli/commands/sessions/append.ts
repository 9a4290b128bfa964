import { ColloquyError, invalid } from "../../../errors.ts";
import { isRole } from "../../../message/rules.ts";
import type { MessageInput } from "../../../message/types.ts";
import { checkEntryId, checkMessage, checkOperationId } from "../../../message/validate.ts";
import type { AppendOptions, Conversation } from "../../../store/conversation.ts";
import type { Store } from "../../../store/store.ts";
import { MESSAGE_BYTES_MAX } from "../../../store/write/writing.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { branchOf, branchOption } from "../../input/branch-name.ts";
import { messagesFromLines } from "../../input/message-lines.ts";
import { checkNewReference } from "../../input/reference.ts";
import { readStdin } from "../../input/stdin.ts";
import { PROGRAM } from "../../invocation.ts";
import { conversationOf, openToAppend, openToChange } from "../../store/open-store.ts";
import { storeTarget } from "../../store/store-target.ts";
import { counted } from "../../terminal/count-text.ts";
import { nameOf } from "../../view/conversation-view.ts";

/** All lines are held in memory and written as one append. */
const LINES_BYTES_MAX = 256 * 1024 * 1024;

/** Everything is checked before a store or conversation is created, so a refused append creates nothing. */
export async function run(call: Call): Promise<Result> {
  const reference = checkNewReference(call.args[0] as string);
  const options = optionsOf(call);
  const messages = await messagesOf(call);
  const isKey = reference.includes(":");
  if (isKey && storeTarget(call.values).missing) checkNew(reference, options);
  await using store = isKey ? await openToAppend(call) : await openToChange(call, reference);
  const conversation = await resume(call, store, reference, options);
  const { entries, head, replayed } = await conversation.append(messages, options);
  const count = counted(entries.length, "message");
  const place = options.branch === undefined ? "" : ` on ${safeLine(options.branch)}`;
  const name = `${nameOf(await conversation.info())}${place}`;
  const line = replayed
    ? `Already appended: ${count} in ${name}; nothing written`
    : `Appended ${count} to ${name}; its head is ${safeLine(head)}`;
  return { json: { entries }, lines: [line] };
}

async function resume(
  call: Call,
  store: Store,
  reference: string,
  options: AppendOptions,
): Promise<Conversation> {
  // A key names one conversation, or a new one: it is never the start of another key.
  const isKey = reference.includes(":");
  const resumed = isKey ? await store.get(reference) : await conversationOf(call, store, reference);
  if (resumed !== undefined) {
    if (options.branch !== undefined) await branchOf(resumed, options.branch);
    return resumed;
  }
  checkNew(reference, options);
  return store.open(reference);
}

/** Refuses what a conversation that is about to be created cannot have. */
function checkNew(reference: string, { expectedHead, branch }: AppendOptions): void {
  if (typeof expectedHead === "string") {
    const message = `Conversation ${reference} not found, so ${expectedHead} is not its head`;
    throw new ColloquyError("CONFLICT", message, { field: "expectedHead", details: { head: null } });
  }
  if (branch !== undefined && branch !== "main") {
    const message = `Conversation ${reference} not found, and a new one only has the branch main`;
    throw new ColloquyError("NOT_FOUND", message, { field: "branch" });
  }
}

function optionsOf(call: Call): AppendOptions {
  const { values } = call;
  const operationId = values.get("operation-id");
  const head = values.get("expected-head");
  return {
    branch: branchOption(call),
    operationId: operationId === undefined ? undefined : checkOperationId(operationId),
    // No entry has an empty id, so "" can mean that there is no entry yet.
    expectedHead: head === undefined ? undefined : head === "" ? null : checkEntryId(head, "expectedHead"),
  };
}

async function messagesOf(call: Call): Promise<MessageInput[]> {
  const lines = call.values.get("jsonl");
  if (lines === undefined) return oneMessage(call);
  if (lines !== "-") throw new UsageError("--jsonl reads standard input: use --jsonl -", "jsonl");
  return messagesFromLines(await readStdin("jsonl", LINES_BYTES_MAX));
}

async function oneMessage({ values }: Call): Promise<MessageInput[]> {
  const missing = ["role", "content"].find((name) => !values.has(name));
  if (missing !== undefined) {
    throw new UsageError(
      `"sessions append" requires --${missing}, or --jsonl -. See ${PROGRAM} sessions append --help`,
      missing,
    );
  }
  const role = values.get("role");
  if (!isRole(role)) throw invalid(`Invalid message role "${role}": use user, assistant or system`, "role");
  const given = values.get("content") as string;
  const message: MessageInput = {
    role,
    // The newline at the end of a program's output is not part of the message.
    content: given === "-" ? (await readStdin("content", MESSAGE_BYTES_MAX)).replace(/\r?\n$/, "") : given,
    id: values.get("id"),
  };
  checkMessage(message);
  return [message];
}
