/** Entries that are missing from an index, and numbers that are missing for a good reason. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { type Message, openStore } from "../../src/index.ts";
import { PAGE_BYTES } from "../../src/sqlite/open.ts";
import { tempFolder } from "../support/temp-folder.ts";

const says = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => ({ role: "user", content: `word ${index}` }));

/** Removes the last cell of an index that has one page: nothing else of the file changes. */
function hideLast(path: string, index: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(index);
  database.close();
  const bytes = readFileSync(path);
  const cells = (Number(root?.rootpage) - 1) * PAGE_BYTES + 3;
  bytes.writeUInt16BE(bytes.readUInt16BE(cells) - 1, cells);
  writeFileSync(path, bytes);
}

async function open(target: string) {
  const problems: string[] = [];
  const store = await openStore(target, { onProblem: ({ message }) => problems.push(message) });
  return { store, problems, [Symbol.asyncDispose]: () => store.close() };
}

describe("an entry that an index hides", () => {
  it("is read from the pages of the file, reported, and keeps others from following its parent", async () => {
    const target = `sqlite:${join(tempFolder(), "store.db")}`;
    {
      await using store = await openStore(target);
      await (await store.open("cli:x")).append(says(20));
    }
    hideLast(target.slice("sqlite:".length), "entries_by_seq");
    await using opened = await open(target);
    const chat = await opened.store.open("cli:x");
    expect((await chat.messages({ last: 1 })).items[0]?.message?.content).toBe("word 19");
    expect((await chat.messages({ limit: 100 })).items).toHaveLength(20);
    expect(opened.problems).toEqual([expect.stringContaining("an index hides entries")]);
    await expect(chat.append(says(1))).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: expect.stringContaining("sessions validate --repair"),
    });
  });

  it("may be one that begins the run of a branch", async () => {
    const target = `sqlite:${join(tempFolder(), "store.db")}`;
    {
      await using store = await openStore(target);
      const chat = await store.open("cli:x");
      const { entries } = await chat.append(says(4));
      await chat.branch(entries[1]?.id as string, { name: "side" });
      await chat.append(says(2), { branch: "side" });
      await chat.append(says(2));
    }
    hideLast(target.slice("sqlite:".length), "entries_marked");
    await using opened = await open(target);
    const chat = await opened.store.open("cli:x");
    expect((await chat.messages({ limit: 100, branch: "side" })).items).toHaveLength(4);
    expect((await chat.messages({ limit: 100 })).items).toHaveLength(6);
    expect(opened.problems).toEqual([expect.stringContaining("an index hides entries")]);
  });
});

describe("numbers are missing without a report", () => {
  it("where a branch was pruned", async () => {
    await using opened = await open(`sqlite:${join(tempFolder(), "store.db")}`);
    const chat = await opened.store.open("cli:x");
    const { entries } = await chat.append(says(4));
    await chat.branch(entries[1]?.id as string, { name: "side" });
    await chat.append(says(5), { branch: "side" });
    await chat.append(says(2));
    await chat.pruneBranches({ names: ["side"] });
    expect((await chat.messages({ limit: 100 })).items).toHaveLength(6);
    const path = join(tempFolder(), "copy.db");
    await opened.store.backup(path);
    await using copy = await open(`sqlite:${path}`);
    await using target = await openStore(`sqlite:${join(tempFolder(), "other.db")}`);
    await copy.store.copyTo(target);
    expect([...opened.problems, ...copy.problems]).toEqual([]);
  });

  it("where the log was copied from one that had lost them", async () => {
    const folder = join(tempFolder(), "store");
    {
      await using store = await openStore(`jsonl:${folder}`);
      const chat = await store.open("cli:x");
      const { entries } = await chat.append(says(6));
      await chat.branch(entries[2]?.id as string, { name: "side" });
      await chat.append(says(3), { branch: "side" });
      await chat.append(says(3));
    }
    // One in the middle of the log, and the last one of the branch.
    const name = readdirSync(folder, { recursive: true })
      .map(String)
      .find((path) => path.endsWith(".jsonl"));
    const log = join(folder, name as string);
    const lines = readFileSync(log, "utf8").split("\n");
    for (const line of [4, 10]) lines[line] = "{";
    writeFileSync(log, lines.join("\n"));
    await using source = await open(`jsonl:${folder}`);
    await using target = await open(`sqlite:${join(tempFolder(), "store.db")}`);
    await source.store.copyTo(target.store);
    const chat = await target.store.open("cli:x");
    for (const [branch, count] of [
      ["main", 8],
      ["side", 5],
    ] as const) {
      for (const query of [{ limit: 100 }, { last: 100 }])
        expect((await chat.messages({ ...query, branch })).items).toHaveLength(count);
    }
    expect(target.problems).toEqual([]);
  });
});
