/** An agent whose tool fills the disk. Prints one line: what the run said, what the next one answered, and the log. */
import { spawnSync } from "node:child_process";
import { AgentLoop, type Tool } from "../../src/agent/index.ts";
import { type ColloquyError, openStore } from "../../src/index.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";

/** Node ignores the signal, so writes end short or fail with EFBIG. */
function limitFiles(bytes: number | "unlimited"): void {
  spawnSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:unlimited`]);
}

let runs = 0;
const fills: Tool = {
  name: "fills",
  description: "Leaves no room",
  inputSchema: { type: "object" },
  run() {
    runs++;
    limitFiles(1);
    return "done";
  },
};

const model = scriptedModel(({ messages }) =>
  JSON.stringify(messages).includes("tool_result") ? ["Answered."] : ["Wait. ", { call: "fills" }],
);
await using store = await openStore(process.argv[2] as string);
const loop = new AgentLoop({ store, key: "cli:default", model, tools: [fills] });
const failed = await loop.run("Go", { operationId: "m1" }).then(
  () => undefined,
  ({ code, message }: ColloquyError) => ({ code, message }),
);
limitFiles("unlimited");
const { reply } = await loop.run("Go", { operationId: "m1" });
const chat = await loop.conversation();
const { ledger } = await chat.context({ maxTokens: 100_000 });
const roles = (await chat.messages()).items.map(({ message }) => message.role);
const { findings } = await store.verify();
console.log(JSON.stringify({ failed, reply, runs, roles, repaired: ledger.repaired, findings }));
