import { ColloquyError, invalid } from "../../errors.ts";
import type { MessageInput } from "../../message/types.ts";
import { checkMessage } from "../../message/validate.ts";
import { APPEND_MESSAGES_MAX, MESSAGE_BYTES_MAX } from "../../store/write/writing.ts";

/**
 * One message per line, all checked before anything is written. Empty lines are
 * skipped. The limits are those of the store, checked here to name the line.
 */
export function messagesFromLines(text: string): MessageInput[] {
  const messages: MessageInput[] = [];
  const lineOfId = new Map<string, number>();
  // Only byte 0x0A ends a line; a file from Windows may start with a byte order mark.
  let start = text.startsWith("\ufeff") ? 1 : 0;
  for (let number = 1; start < text.length; number++) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    if (line.trim() === "") continue;
    const message = messageFrom(line, number);
    checkRepeated(message.id, number, lineOfId);
    messages.push(message);
    if (messages.length > APPEND_MESSAGES_MAX) {
      throw atLine(number, `at most ${APPEND_MESSAGES_MAX} messages can be appended at once`, "jsonl");
    }
  }
  if (messages.length === 0) throw invalid("Standard input contains no message", "jsonl");
  return messages;
}

function messageFrom(line: string, number: number): MessageInput {
  if (line.length * 3 > MESSAGE_BYTES_MAX && Buffer.byteLength(line) > MESSAGE_BYTES_MAX) {
    throw atLine(number, `longer than ${MESSAGE_BYTES_MAX} bytes`, "content");
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw atLine(
      number,
      `not JSON (${(error as Error).message.replace(/ \(line \d+ column \d+\)$/, "")})`,
      "jsonl",
    );
  }
  try {
    checkMessage(value);
  } catch (error) {
    if (!(error instanceof ColloquyError)) throw error;
    throw atLine(number, error.message, error.field ?? "jsonl");
  }
  return value as MessageInput;
}

function checkRepeated(id: string | undefined, number: number, lineOfId: Map<string, number>): void {
  if (id === undefined) return;
  const earlier = lineOfId.get(id);
  if (earlier !== undefined) throw atLine(number, `the id "${id}" is also on line ${earlier}`, "id");
  lineOfId.set(id, number);
}

function atLine(line: number, reason: string, field: string): ColloquyError {
  return invalid(`Line ${line}: ${reason}. Nothing was written`, field, { line });
}
