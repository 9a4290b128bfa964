/** The words of a question about a tool, and of its answers. */
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import type { JsonObject } from "../../util/json.ts";
import { visibleText } from "../../util/visible-text.ts";

/** An input is shown whole, so that nothing is approved unseen; a longer one is refused. */
const INPUT_CHARS_MAX = 8000;
const MINUTE_MS = 60_000;

/** `undefined` if the input is too long to be shown. */
export function questionText(
  tool: string,
  input: JsonObject,
  { timeoutMs, isDirect }: { readonly timeoutMs: number; readonly isDirect: boolean },
): string | undefined {
  const json = JSON.stringify(input, undefined, 2);
  if (json.length > INPUT_CHARS_MAX) return undefined;
  // Neither a secret nor a character that hides others is shown, and no text of the input can leave its frame.
  const shown = visibleText(redactSecrets(json).text).replaceAll("`", "\\u0060");
  const minutes = Math.max(1, Math.round(timeoutMs / MINUTE_MS));
  const limit = `within ${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
  const how = isDirect ? `Answer yes or no ${limit}.` : `Reply to this message with yes or no ${limit}.`;
  return `May I use the tool \`${tool}\` with this input?\n\`\`\`json\n${shown}\n\`\`\`\n${how}`;
}

export type Answer = "yes" | "no";

export interface GivenAnswer {
  readonly answer: Answer;
  /** It can be nothing but an answer. */
  readonly isCommand: boolean;
}

const ANSWERS: Readonly<Record<string, GivenAnswer>> = {
  yes: { answer: "yes", isCommand: false },
  no: { answer: "no", isCommand: false },
  "/approve": { answer: "yes", isCommand: true },
  "/deny": { answer: "no", isCommand: true },
};

/** The answer that a text is, and nothing else: a word inside a sentence approves nothing. */
export function answerIn(text: string): GivenAnswer | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(ANSWERS, word) ? ANSWERS[word] : undefined;
}

/**
 * Who may answer: the user whose message is being answered, and the owner. Only users that the config names count,
 * because a stranger in a room must not approve what a stranger asked for.
 */
export function approversOf(asker: string | undefined, users: readonly string[]): string[] {
  const [first, ...others] = users;
  const owner = others.length === 0 && first !== "*" ? first : undefined;
  const approvers = [owner, users.find((id) => id === asker && id !== "*")];
  return [...new Set(approvers.filter((id) => id !== undefined))];
}
