/**
 * What the model server answers, which the prompt itself says:
 *
 *     Look around @think Where am I? @tool Bash {"command":"pwd"} @next @say All done.
 *
 * `@next` separates the answers to consecutive requests of a turn. In each, `@think`, `@say` and `@tool NAME JSON`
 * may be repeated. In the JSON of a call, `~say` means `@say`, for the prompt of a sub-agent.
 */
import { isJsonObject } from "../../../src/util/json.ts";
import { parsedIn } from "../../../src/util/values.ts";

export interface Answer {
  readonly thoughts: readonly string[];
  readonly texts: readonly string[];
  readonly calls: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
}

export interface Turn {
  readonly role: "user" | "assistant" | "tool" | "other";
  readonly text: string;
}

const WORDS = /@(think|say|tool)\b\s*([\s\S]*?)(?=@(?:think|say|tool)\b|$)/g;
const DIRECTIVE = /@(?:think|say|tool|next)\b/;

/** The answer to the last of these turns. A prompt that asks for nothing is answered with one sentence. */
export function answerTo(turns: readonly Turn[]): Answer {
  const at = promptIndex(turns);
  const prompt = turns[at]?.text ?? "";
  const steps = prompt.split(/@next\b/);
  const answered = answersIn(turns.slice(at + 1));
  const answer = parsed(steps[answered] ?? "");
  if (answer.texts.length + answer.calls.length > 0) return answer;
  return { ...answer, texts: [defaultText(turns.at(-1)?.text ?? "")] };
}

/** Of several texts of the user in a row, the one with directives counts. */
function promptIndex(turns: readonly Turn[]): number {
  let found = -1;
  for (let index = turns.length - 1; index >= 0; index--) {
    const { role, text } = turns[index] as Turn;
    if (role === "assistant" && found >= 0) break;
    if (role !== "user" || text.trim() === "") continue;
    if (DIRECTIVE.test(text)) return index;
    if (found < 0) found = index;
  }
  return found;
}

/** Consecutive parts of one answer count once. */
function answersIn(turns: readonly Turn[]): number {
  return turns.filter(({ role }, index) => role === "assistant" && turns[index - 1]?.role !== "assistant")
    .length;
}

function parsed(step: string): Answer {
  const found = [...step.matchAll(WORDS)].map(([, kind, text = ""]) => ({ kind, text: text.trim() }));
  const of = (wanted: string): string[] => found.flatMap(({ kind, text }) => (kind === wanted ? [text] : []));
  return { thoughts: of("think"), texts: of("say"), calls: of("tool").map(callOf) };
}

function callOf(text: string): Answer["calls"][number] {
  const [, name = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  return { name, input: objectAt(rest.replace(/~(think|say|tool|next)\b/g, "@$1")) };
}

/** The shortest beginning that is an object: tools put quotes and other text around a prompt. */
function objectAt(text: string): Readonly<Record<string, unknown>> {
  for (let end = text.indexOf("}"); end >= 0; end = text.indexOf("}", end + 1)) {
    const value = parsedIn(text.slice(0, end + 1)) ?? parsedIn(text.slice(0, end + 1).replaceAll('\\"', '"'));
    if (isJsonObject(value)) return value;
  }
  return {};
}

function defaultText(last: string): string {
  if (/summar|compact|checkpoint|snapshot/i.test(last.slice(0, 4000)))
    return "<summary>What was said, in short.</summary>";
  return "Understood.";
}
