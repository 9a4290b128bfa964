import { join } from "node:path";
import { type Conversation, openStore } from "../../src/index.ts";
import { alternate, type BenchRow, sized, timed } from "../harness.ts";
import { atMost, ENGINES } from "../rows.ts";
import { CONTENT } from "../store/bare.ts";
import { fill } from "../store/fill.ts";

const LENGTHS = [sized(1000, 100), sized(100_000, 1000)];
const BRANCHES = 30;
const message = { role: "user", content: CONTENT } as const;

/** A branch from the head, in a short and in a long conversation, against an append to it. */
export async function creating(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    await using store = await openStore(`${engine}:${join(folder, `branch-${engine}`)}`);
    for (const length of LENGTHS) {
      const chat = await store.create();
      await fill(chat, length);
      const { head } = await chat.info();
      const { append, branch } = await alternate({
        append: () => timed(BRANCHES, () => chat.append(message)),
        branch: () => timed(BRANCHES, () => chat.branch(head)),
      });
      rows.push(
        atMost(
          `a branch in ${length.toLocaleString("en")} messages against an append, ${engine}`,
          branch,
          append,
          2,
        ),
      );
    }
  }
  return rows;
}

const DEPTH = 10;
const OWN = 20;

/** The last fifty of a branch at depth 10, which are spread over three branches, against the last fifty of `main`. */
export async function reading(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    await using store = await openStore(`${engine}:${join(folder, `deep-${engine}`)}`, {
      durability: "process",
    });
    const chat = await store.create();
    await fill(chat, sized(10_000, 100));
    await deepen(chat);
    await fill(chat, sized(1000, 50));
    const { main, deep } = await alternate(
      {
        main: () => timed(300, () => chat.messages({ last: 50, branch: "main" })),
        deep: () => timed(300, () => chat.messages({ last: 50, branch: `level-${DEPTH}` })),
      },
      11,
    );
    rows.push(atMost(`last 50 of a branch at depth ${DEPTH} against main, ${engine}`, deep, main, 1.5));
  }
  return rows;
}

async function deepen(chat: Conversation): Promise<void> {
  let { head } = await chat.info();
  for (let depth = 2; depth <= DEPTH; depth++) {
    const name = `level-${depth}`;
    await chat.branch(head, { name });
    const { entries } = await chat.append(Array(OWN).fill(message), { branch: name });
    head = entries.at(-1)?.id ?? null;
  }
}
