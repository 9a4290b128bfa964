import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../support/temp-folder.ts";

export const CONVERSATIONS: readonly object[] = [
  { conversation: "pump", title: "The garden pump" },
  {
    id: "m1",
    role: "user",
    at: "2026-03-01T09:00:00Z",
    text: "The garden pump is loud. Which spare part fits?",
  },
  { id: "m2", role: "assistant", at: "2026-03-01T09:01:00Z", text: "The bearing 6203, two of them." },
  { id: "m3", role: "user", at: "2026-03-01T09:02:00Z", text: "Thanks, ordered." },
  { conversation: "cellar", key: "cli:cellar" },
  { id: "m1", role: "user", at: "2026-03-02T09:00:00Z", name: "Ana", text: "There is water in the cellar." },
  {
    id: "m2",
    role: "assistant",
    at: "2026-03-02T09:01:00Z",
    text: "Let me read the sensor.",
    tools: [{ name: "Bash", input: { command: "sensor read" }, output: "humidity 91 percent" }],
  },
];

export const QUESTIONS: readonly object[] = [
  {
    id: "q1",
    question: "loud garden pump",
    answers: ["m1"],
    conversation: "pump",
    language: "en",
    kind: "direct",
  },
  { id: "q2", question: "humidity of the sensor", answers: ["m2"], conversation: "cellar", kind: "tool" },
  { id: "q3", question: "did Ana write", answers: ["m1"], conversation: "cellar" },
  { id: "q4", question: "zeppelin", answers: ["m3"] },
];

/** A folder in the format of a set. A string is a file that is written as it is. */
export function toySet(
  conversations: readonly object[] | string | Uint8Array = CONVERSATIONS,
  questions: readonly object[] | string = QUESTIONS,
): string {
  const folder = tempFolder();
  for (const [name, content] of Object.entries({ conversations, questions })) {
    mkdirSync(join(folder, name));
    const text = Array.isArray(content)
      ? content.map((record) => JSON.stringify(record)).join("\n")
      : content;
    writeFileSync(join(folder, name, "a.jsonl"), text as string | Uint8Array);
  }
  return folder;
}
