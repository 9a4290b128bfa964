/** A chat on a terminal. */
import { join } from "node:path";
import { InputHistory } from "../../../channel/terminal/input-history.ts";
import { LineInput } from "../../../channel/terminal/line-input.ts";
import { asColloquyError } from "../../../errors.ts";
import { quoted, safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { nextCommand } from "../../invocation.ts";
import { report } from "../../output.ts";
import { stateFolder } from "../../store/store-target.ts";
import { counted } from "../../terminal/count-text.ts";
import { AnswerView } from "./answer-view.ts";
import { Approvals } from "./approvals.ts";
import { type ChatAgent, SESSION_DEFAULT } from "./chat-agent.ts";
import { completionsOf, LEAVE, runSlashCommand } from "./slash-commands.ts";

const HISTORY_NAME = "chat-history.jsonl";
const PROMPT = "> ";

export async function chatOnTerminal(call: Call, agent: ChatAgent): Promise<Result> {
  const { out, values } = call;
  out.lines(await greeting(call, agent));
  using input = new LineInput({
    input: process.stdin,
    output: process.stdout,
    prompt: PROMPT,
    shownPrompt: (prompt) => out.style("bold", prompt),
    history: new InputHistory(join(stateFolder(values), HISTORY_NAME)),
    complete: (text) => completionsOf(agent, text),
    interruptHint: out.style("dim", "Press Ctrl-C again to leave"),
  });
  agent.approve = new Approvals(input, call).approve;
  // Loaded while the user types.
  setImmediate(() => void agent.loop().catch(() => {}));
  for (;;) {
    const typed = await input.read();
    if (typeof typed === "string") break;
    try {
      const lines = await runSlashCommand(call, agent, typed.text);
      if (lines === LEAVE) break;
      if (lines === undefined) {
        if ((await answer(agent, input, typed.text)) === LEAVE) break;
      } else if (lines.length > 0) out.lines(lines);
    } catch (error) {
      report("error", asColloquyError(error, "The message was not answered"), false);
    }
  }
  const words = agent.key === SESSION_DEFAULT ? "chat" : `chat --session ${quoted(safeLine(agent.key))}`;
  const hint = out.style("dim", `To continue: ${nextCommand(words, values)}`);
  return { json: null, notes: (await agent.messageCount()) === 0 ? [] : [hint] };
}

/** The first Ctrl-C stops the answer, which keeps what was written; the second one leaves. */
async function answer(agent: ChatAgent, input: LineInput, text: string): Promise<typeof LEAVE | undefined> {
  const controller = new AbortController();
  let isLeaving = false;
  input.onInterrupt = (times) => {
    isLeaving = times > 1;
    controller.abort();
  };
  const view = new AnswerView(process.stdout);
  view.wait();
  try {
    const { stopReason } = await agent.answer(text, {
      signal: controller.signal,
      onEvent: (event) => view.show(event),
    });
    view.end();
    if (stopReason === "stopped") process.stdout.write("(stopped)\n");
    else if (stopReason === "max_tokens") process.stdout.write("(cut off: the answer is too long)\n");
    else if (stopReason === "max_steps") process.stdout.write("(stopped: too many steps)\n");
  } finally {
    view.end();
    input.onInterrupt = () => {};
  }
  process.stdout.write("\n");
  return isLeaving ? LEAVE : undefined;
}

async function greeting({ out }: Call, agent: ChatAgent): Promise<string[]> {
  const count = await agent.messageCount();
  const past = count === 0 ? "a new conversation" : counted(count, "message");
  return [
    `${out.style("bold", safeLine(agent.key))} ${out.style("dim", `· ${past} · ${safeLine(await agent.modelName())} · /help`)}`,
    "",
  ];
}
