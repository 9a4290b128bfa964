/** A process that changes or searches a store until it is done or killed. Prints the words it has written, as JSON. */
import { openStore } from "../../src/index.ts";

const [target = "", role = "", name = "", rounds = "0"] = process.argv.slice(2);
await using store = await openStore(target, { onProblem: () => {} });

/** Words with digits are not stemmed, so that they are in the files as they are here. */
const live = new Set<string>();
const erased = new Set<string>();

async function write(round: number): Promise<void> {
  const chat = await store.create({ key: `cli:${name}-${round}` });
  const words = Array.from({ length: 4 }, (_, index) => `${name}word${round}x${index}`);
  const content = (word: string) => ({ role: "user", content: `about ${word} and the harbour` }) as const;
  const { entries } = await chat.append(words.map(content));
  for (const word of words) live.add(word);
  const gone = (...some: (string | undefined)[]): void => {
    for (const word of some) {
      live.delete(word ?? "");
      erased.add(word ?? "");
    }
  };
  switch (round % 5) {
    case 1:
      await chat.redact(entries[1]?.id ?? "");
      return gone(words[1]);
    case 2:
      await store.purge(chat.id, { force: true });
      return gone(...words);
    case 3:
      await store.delete(chat.id);
      await store.purge(chat.id);
      return gone(...words);
    case 4: {
      const side = `${name}side${round}`;
      await chat.branch(entries[0]?.id ?? "", { name: "side", checkout: true });
      await chat.append(content(side));
      await chat.checkout("main");
      await chat.pruneBranches({ names: ["side"] });
      return gone(side);
    }
  }
}

for (let round = 0; round < Number(rounds); round++) {
  if (role === "write") await write(round);
  else await store.search(`harbour word${round}`);
}
process.stdout.write(JSON.stringify({ live: [...live], erased: [...erased] }));
