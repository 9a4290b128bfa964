import { invalid } from "../../../errors.ts";
import type { Call, Result } from "../../command.ts";
import { readStdin } from "../../input/stdin.ts";
import { ChatAgent, SESSION_DEFAULT } from "./chat-agent.ts";
import { answerOnce } from "./one-message.ts";

const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;

export async function run(call: Call): Promise<Result> {
  const message = await givenMessage(call);
  const key = sessionKey(call.values.get("session"));
  await using agent = await ChatAgent.open(call, key);
  if (message !== undefined) return await answerOnce(call, agent, message);
  const { chatOnTerminal } = await import("./interactive.ts");
  return await chatOnTerminal(call, agent);
}

/** `-m`, or all of standard input if it is not a terminal. `undefined` for a chat. */
async function givenMessage({ values, json }: Call): Promise<string | undefined> {
  const given = values.get("message");
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (given === undefined && isTerminal && !json) return undefined;
  const text = given === undefined || given === "-" ? await readStdin("message", MESSAGE_BYTES_MAX) : given;
  // The line break that ends a line of a pipe is not part of a message.
  const message = given === undefined || given === "-" ? text.replace(/\r?\n$/, "") : text;
  if (message.trim() === "") throw invalid("The message is empty", "message");
  return message;
}

/** A name is one of the command line: `work` is `cli:work`. */
function sessionKey(name: string | undefined): string {
  if (name === undefined) return SESSION_DEFAULT;
  if (name.trim() === "") throw invalid("--session must not be empty", "session");
  return name.includes(":") ? name : `cli:${name}`;
}
