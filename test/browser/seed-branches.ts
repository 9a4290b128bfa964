import type { Conversation } from "../../src/store/conversation.ts";
import type { Store } from "../../src/store/store.ts";

const MODEL = "anthropic/claude-sonnet-4-5";

/** A question that was asked in three ways, as the tree and the comparison of branches show it. */
export async function seedBranches(store: Store, now: number): Promise<Conversation> {
  let minutes = 0;
  const conversation = await store.create({ title: "Where the session cache lives", channel: "web" });
  const say = async (question: string, answer: string): Promise<string> => {
    const at = (): string => new Date(now - 3_600_000 + minutes++ * 60_000).toISOString();
    const { head } = await conversation.append([
      { role: "user", content: question, at: at() },
      { role: "assistant", content: answer, model: MODEL, at: at() },
    ]);
    return head;
  };
  const start = await say(
    "Sessions are read on every request. Where should their cache live?",
    "In the process if one server answers, in Redis if several do. You have three.",
  );
  const redis = await say(
    "Then Redis. What if it is down?",
    "Read from the database, and open the circuit after **five** failures, so that requests do not wait.",
  );
  await say("How long are they kept?", "As long as the cookie: 14 days, renewed once a day.");
  await conversation.branch(redis, { name: "no-circuit", checkout: true });
  await say("Is the circuit worth it?", "With a timeout of 20 ms it is not: the database can take the load.");
  await conversation.branch(start, { name: "in-process", checkout: true });
  await say(
    "And in the process, with sticky sessions?",
    "Then a deploy empties a third of the cache, and a server that is lost takes its sessions with it.",
  );
  return conversation;
}
