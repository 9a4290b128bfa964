/** Compares the log of a talk with what its tools did. */
import { openStore } from "../../src/index.ts";
import { textOf } from "../../src/message/text.ts";
import type { Message } from "../../src/message/types.ts";
import { answerTo, callsOf, kindOf } from "./talk.ts";

/** All that is wrong with a talk whose first questions were answered. */
export async function wrongIn(
  target: string,
  answered: number,
  traces: readonly string[],
): Promise<string[]> {
  await using store = await openStore(target);
  const chat = await store.open("cli:default");
  const messages: Message[] = [];
  for await (const { message } of chat.messages()) messages.push(message);
  const { ledger } = await chat.context({ maxTokens: 10_000_000 });
  const { findings } = await store.verify();
  return [
    ...Array.from({ length: answered }, (_, number) => wrongWith(number, messages)).flat(),
    ...wrongRuns(traces),
    ...ledger.repaired.map(({ kind, toolUseId }) => `A context must repair ${toolUseId}: ${kind}`),
    ...findings.map(({ message }) => `The store is damaged: ${message}`),
  ];
}

function wrongWith(number: number, messages: readonly Message[]): string[] {
  const question = `question ${number} (${kindOf(number)})`;
  const wrong: string[] = [];
  const asked = messages.filter(({ content }) => content === question).length;
  if (asked !== 1) wrong.push(`${question} is in the log ${asked} times`);
  const finished = messages.filter(
    (message) => message.endState === "finished" && textOf(message) === answerTo(question),
  ).length;
  if (finished !== 1) wrong.push(`${question} has ${finished} answers`);
  const text = JSON.stringify(messages.map(({ content }) => content));
  callsOf(question).forEach((names, step) => {
    names.forEach((_, index) => {
      const id = `call ${question} / ${step}.${index}`;
      const calls = text.split(`"id":"${id}"`).length - 1;
      const results = text.split(`"tool_use_id":"${id}"`).length - 1;
      if (calls !== 1 || results !== 1) wrong.push(`${id} has ${calls} calls and ${results} results`);
    });
  });
  return wrong;
}

/** A tool that may be repeated runs again only if its result was not stored, which its traces cannot show. */
function wrongRuns(traces: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of traces) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].flatMap(([line, count]) =>
    count > 1 && line.includes(" once ") ? [`"${line}" happened ${count} times`] : [],
  );
}
