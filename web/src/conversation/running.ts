/** The answer that is being written, put together from its events. */
import type {
  AnyEventFrame,
  ApprovalQuestion,
  RunningAnswer,
  ToolState,
} from "../../../src/gateway/wire/frames.ts";

export interface Running extends RunningAnswer {
  /** The last word to the user, such as that another model is asked. */
  readonly notice: string | null;
  /** The step is stored: its text is replaced when the next one begins. */
  readonly isStored: boolean;
}

export function runningOf(answer: RunningAnswer): Running {
  return { ...answer, notice: null, isStored: false };
}

const NOTHING: Omit<Running, "run"> = {
  text: "",
  thinking: "",
  tools: [],
  approvals: [],
  notice: null,
  isStored: false,
};

/** `null` when the answer has ended. Events of other kinds change nothing. */
export function nextRunning(now: Running | null, event: AnyEventFrame): Running | null {
  if (event.event === "chat.started") return { run: event.data.run, ...NOTHING };
  if (event.event === "chat.done" || event.event === "chat.failed")
    return now && now.run === event.data.run ? null : now;
  if (event.event === "conversation.entries" && now) {
    const isAnswer = event.data.entries.some(({ message }) => message?.role === "assistant");
    return isAnswer ? { ...now, text: "", thinking: "", tools: [], isStored: false } : now;
  }
  if (!event.event.startsWith("chat.")) return now;
  const old = now ?? { run: (event.data as { readonly run: string }).run, ...NOTHING };
  switch (event.event) {
    case "chat.delta": {
      const { position, text } = event.data;
      const before = old.isStored ? "" : old.text;
      // What was sent twice replaces itself.
      return { ...old, text: before.slice(0, position) + text, isStored: false };
    }
    case "chat.thinking":
      return { ...old, thinking: (old.isStored ? "" : old.thinking) + event.data.text };
    case "chat.step":
      return { ...old, isStored: true };
    case "chat.tool":
      return { ...old, tools: withTool(old.tools, event.data.tool) };
    case "chat.approval":
      return { ...old, approvals: [...without(old.approvals, event.data.question.id), event.data.question] };
    case "chat.approved":
      return { ...old, approvals: without(old.approvals, event.data.id) };
    case "chat.notice":
      return { ...old, notice: event.data.text };
    default:
      return now;
  }
}

function withTool(tools: readonly ToolState[], tool: ToolState): readonly ToolState[] {
  const index = tools.findIndex(({ id }) => id === tool.id);
  return index < 0 ? [...tools, tool] : tools.with(index, tool);
}

function without(questions: readonly ApprovalQuestion[], id: string): readonly ApprovalQuestion[] {
  return questions.filter((question) => question.id !== id);
}
