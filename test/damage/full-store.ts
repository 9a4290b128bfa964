/** A store with everything that can be damaged, and what it holds. */
import { type Message, openStore, type Store } from "../../src/index.ts";

/** Every word of a store, by where it is found. */
export type Words = ReadonlyMap<string, string>;

/** About `messages` messages in six conversations, with branches, labels, large parts, a trash and an open turn. */
export async function fillStore(target: string, messages: number): Promise<void> {
  await using store = await openStore(target, { durability: "process" });
  for (let number = 0; number < 6; number++) {
    const chat = await store.open(`cli:chat-${number}`, { title: `Chat ${number}`, model: "m" });
    const count = Math.floor(messages / 6);
    const say = (from: number, to: number): Message[] =>
      Array.from({ length: to - from }, (_, index) => ({
        role: (from + index) % 2 === 0 ? "user" : "assistant",
        content: `Chat ${number} says word ${from + index}. ${"Lorem ipsum dolor sit amet. ".repeat((from + index) % 40)}`,
      }));
    const { entries } = await chat.append(say(0, Math.floor(count / 2)), { operationId: `op-${number}` });
    await chat.append({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t", content: `part ${number} `.repeat(9000) }],
    });
    if (number % 2 === 0) {
      const fork = entries[5]?.id ?? null;
      await chat.label(entries[3]?.id as string, `label-${number}`);
      await chat.branch(fork, { name: "side", checkout: true });
      await chat.append(say(5000, 5030));
      await chat.checkout("main");
    }
    for (let at = Math.floor(count / 2); at < count; at += 10)
      await chat.append(say(at, Math.min(count, at + 10)));
    await chat.update({ contextState: { note: `state ${number}` } });
  }
  await store.delete("cli:chat-5");
  const turn = await (await store.open("cli:chat-4")).beginTurn();
  if (turn.state === "running") await turn.delta("half an answer");
}

/**
 * Every entry of every conversation as it is read, large parts included. An
 * entry after a damaged one may get another parent, together with a mark.
 */
export async function wordsOf(store: Store, parents = true): Promise<Map<string, string>> {
  const words = new Map<string, string>();
  for (const trash of [false, true]) {
    for await (const info of store.list({ trash })) {
      const { id, key, title, model, contextState, createdAt, deletedAt } = info;
      words.set(id, JSON.stringify({ key, title, model, contextState, createdAt, deletedAt }));
      if (trash) continue;
      const chat = await store.get(id);
      for (const { name } of (await chat?.branches()) ?? []) {
        for await (const { flags, parentId, ...entry } of chat?.entries({ branch: name }) ?? []) {
          const isLost = entry.kind === "removed" || flags?.some((flag) => flag.startsWith("blob-"));
          if (!isLost)
            words.set(`${id} ${name} ${entry.seq}`, JSON.stringify(parents ? { ...entry, parentId } : entry));
        }
      }
    }
  }
  return words;
}

/** Where the words of a store are not those it was given. */
export function differences(words: Words, original: Words): string[] {
  return [...original.keys(), ...words.keys()].filter((place) => words.get(place) !== original.get(place));
}

/** Words that were never said. */
export function foreign(words: Words, original: Words): string[] {
  const said = new Set(original.values());
  return [...words].filter(([place, word]) => place.includes(" ") && !said.has(word)).map(([place]) => place);
}
