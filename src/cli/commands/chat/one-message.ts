/** One message and its answer, for scripts and for a quick question. */
import type { RunResult } from "../../../agent/index.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_FAILED } from "../../exit.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { AnswerView } from "./answer-view.ts";
import type { ChatAgent } from "./chat-agent.ts";

export async function answerOnce(call: Call, agent: ChatAgent, message: string): Promise<Result> {
  const { signal, end } = stopOnInterrupt();
  const view = call.json ? undefined : new AnswerView(process.stdout);
  try {
    view?.wait();
    const result = await agent.answer(message, { signal, onEvent: (event) => view?.show(event) });
    view?.end();
    return { json: resultJson(result), ...(result.stopReason === "stopped" ? { exit: EXIT_FAILED } : {}) };
  } finally {
    view?.end();
    end();
  }
}

function resultJson(result: RunResult): Record<string, unknown> {
  const { key, conversation, branch, model, reply, entries, usage, stopReason } = result;
  return { key, conversation, branch, model, reply, entries, usage, stopReason };
}
