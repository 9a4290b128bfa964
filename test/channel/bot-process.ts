/**
 * A bot for tests of kills: accepts messages from standard input, answers and delivers them. A message that names a
 * stage stops there for ever.
 */
import { createInterface } from "node:readline";
import type { Channel } from "../../src/channel/channel.ts";
import { acceptMessage } from "../../src/channel/inbox/accept.ts";
import { MessageDesk } from "../../src/channel/inbox/desk.ts";
import { ColloquyError, openStore, textOf } from "../../src/index.ts";

const [target = "", url = "", mode = ""] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const stops = mode === "stops";

async function reach(stage: string, text: string): Promise<void> {
  if (!stops || text !== stage) return;
  say(`stopped ${stage}`);
  await new Promise(() => {});
}

const channel: Pick<Channel, "name" | "accountId" | "send"> = {
  name: "test",
  accountId: "1",
  async send({ to }, text, { nonce }) {
    const body = JSON.stringify({ to, text, nonce });
    const { ok, status } = await fetch(url, { method: "POST", body });
    if (!ok) throw new ColloquyError("NETWORK_ERROR", `The platform answered ${status}`);
  },
};

await using store = await openStore(target, { onProblem: () => {} });
const desk = new MessageDesk({
  store,
  channel,
  cuts: { min: 1, max: 12 },
  pollMs: stops ? 60_000 : 100,
  onProblem: ({ message }) => say(`problem ${message}`),
  async answer({ conversation, entryId }) {
    const question = await conversation.entry(entryId);
    const text = question?.message === undefined ? "" : textOf(question.message);
    await reach("before-answer", text);
    for (let attempt = 1; ; attempt++) {
      await using turn = await conversation.beginTurn({
        operationId: `${entryId}#${attempt}`,
        waitMs: 60_000,
      });
      if (turn.state === "interrupted") continue;
      if (turn.state === "running") {
        say(`run ${entryId}`);
        await turn.delta("An answer ");
        await reach("in-answer", text);
        await turn.finish("finished", { message: { role: "assistant", content: `An answer to ${text}` } });
      }
      await reach("after-answer", text);
      return turn.entries.at(-1)?.id;
    }
  },
});
await desk.start();
say("started ");
for await (const line of createInterface(process.stdin)) {
  const [id = "", from = "", text = ""] = line.split(" ");
  const chat = await store.open(`test:dm:${from}`);
  await acceptMessage(chat, channel, {
    ...{
      id,
      text,
      from: { id: from },
      chatType: "direct",
      isAddressed: true,
      at: "2026-01-01T00:00:00.000Z",
    },
  });
  say(`accepted ${id}`);
  if (stops && text === "before-serve") continue;
  desk.serve(chat.id);
}
await desk.close();
