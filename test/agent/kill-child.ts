/** An agent that answers questions until it is killed. Reads one command, then reports one line for each event. */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentLoop, type Tool } from "../../src/agent/index.ts";
import { openStore } from "../../src/index.ts";
import type { KillCommand, KillReport } from "./kills.ts";
import { answerTo, kindOf, scriptOf } from "./talk.ts";

function say(report: KillReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

/** Leaves a line when it starts and when it is done: what really happened, whatever the log says. */
function tool(name: "once" | "again", file: string): Tool {
  return {
    name,
    description: "Leaves its traces in a file",
    inputSchema: { type: "object", properties: { label: { type: "string" } }, required: ["label"] },
    mayRepeat: name === "again",
    async run({ label }) {
      appendFileSync(file, `start ${name} ${label}\n`);
      await sleep(2);
      appendFileSync(file, `done ${name} ${label}\n`);
      return `ran ${label}`;
    },
  };
}

async function converse({ target, key, traces, from, count, resume }: KillCommand): Promise<void> {
  await using store = await openStore(target);
  const model = scriptOf((question) => say({ type: "asked", question }));
  const tools = [tool("once", traces), tool("again", traces)];
  const loop = new AgentLoop({ store, key, model, tools });
  if (resume) await loop.resume();
  for (let number = from; number < from + count; number++) {
    const question = `question ${number} (${kindOf(number)})`;
    const { reply } = await loop.run(question, { operationId: `message-${number}` });
    say({ type: "answered", number, reply, isRight: reply === answerTo(question) });
  }
  await loop.close();
}

say({ type: "warm" });
for await (const line of createInterface({ input: process.stdin })) {
  await converse(JSON.parse(line));
  break;
}
process.stdin.destroy();
