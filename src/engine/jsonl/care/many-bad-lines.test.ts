import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import { countFindings } from "../../findings.ts";

/** More than the arguments that one call can have, which is where reports failed. */
const LINES = 130_000;

describe("a conversation with very many bad lines", () => {
  it("leaves reports short, others alone and the store usable, and a repair ends it", async () => {
    const folder = join(tempFolder(), "store");
    const target = `jsonl:${folder}`;
    {
      await using store = await openStore(target);
      for (const key of ["cli:a", "cli:b"])
        await (await store.open(key)).append({ role: "user", content: `the words of ${key}` });
    }
    const log = readdirSync(folder)
      .filter((name) => /^\d{17}\.jsonl$/.test(name))
      .map((name) => join(folder, name))
      .find((path) => readFileSync(path, "utf8").includes("words of cli:a")) as string;
    appendFileSync(log, "not a line of Colloquy\n".repeat(LINES));
    const problems: string[] = [];
    await using store = await openStore(target, { onProblem: ({ message }) => problems.push(message) });
    const { findings, ok } = await store.verify();
    expect(ok).toBe(false);
    expect(findings.length).toBeLessThan(30);
    expect(countFindings(findings)).toBe(LINES);
    expect(findings.at(-1)).toMatchObject({ message: "and 129,980 more", count: LINES - 20 });
    expect(findings[0]).toMatchObject({ code: "bad-line", line: 3 });
    expect(await textsOf(store, "cli:b")).toEqual(["the words of cli:b"]);
    expect(await textsOf(store, "cli:a")).toEqual(["the words of cli:a"]);
    await (await store.open("cli:a")).append({ role: "user", content: "more" });
    expect(problems).toHaveLength(1);
    const copy = join(tempFolder(), "copy");
    expect(await store.backup(copy)).toMatchObject({ ok: false, conversations: 2 });
    expect(statSync(copy).isDirectory()).toBe(true);
    const { repaired, ...after } = await store.repair();
    expect(countFindings(repaired)).toBeGreaterThanOrEqual(LINES);
    expect(repaired.length).toBeLessThan(60);
    expect(after).toMatchObject({ ok: true, findings: [] });
    expect(await textsOf(store, "cli:a")).toEqual(["the words of cli:a", "more"]);
    const aside = readdirSync(folder).find((name) => name.includes(".bad-")) as string;
    expect(readFileSync(join(folder, aside), "utf8").match(/not a line of Colloquy\n/g)).toHaveLength(LINES);
  });
});

async function textsOf(store: Awaited<ReturnType<typeof openStore>>, key: string): Promise<unknown[]> {
  const { items } = (await (await store.get(key))?.messages()) ?? { items: [] };
  return items.map(({ message }) => message?.content);
}
