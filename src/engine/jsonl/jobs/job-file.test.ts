import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";

const name = (id: string): { queue: string; id: string } => ({ queue: "inbox", id });

/** A store with three jobs, and the path of their file. */
async function filled(): Promise<{ folder: string; file: string }> {
  const folder = join(tempFolder(), "store");
  await using store = await openStore(`jsonl:${folder}`);
  await store.jobs.change({ put: ["1", "2", "3"].map(name) });
  return { folder, file: join(folder, "store.jobs") };
}

const DAMAGES: readonly (readonly [string, (text: string) => string])[] = [
  ["a changed line", (text) => text.replace('"id":"2"', '"id":"9"')],
  ["a missing line", (text) => text.split("\n").toSpliced(2, 1).join("\n")],
  ["a lost end", (text) => text.slice(0, -30)],
  ["an empty file", () => ""],
];

it.each(DAMAGES)("reports %s, and keeps the damaged file beside the next one", async (_, damage) => {
  const { folder, file } = await filled();
  const damaged = damage(readFileSync(file, "utf8"));
  writeFileSync(file, damaged);
  const problems: string[] = [];
  const onProblem = ({ message }: Error): void => void problems.push(message);
  await using store = await openStore(`jsonl:${folder}`, { onProblem });
  const left = (await store.jobs.list()).items.map(({ id }) => id);
  expect(["1", "2", "3"]).toEqual(expect.arrayContaining(left));
  expect(left.length).toBeLessThan(3);
  expect(problems).toEqual([expect.stringContaining("store.jobs")]);
  expect((await store.verify()).findings).toMatchObject([{ code: "bad-job", source: file }]);
  await store.jobs.change({ put: [name("4")] });
  expect((await store.jobs.list()).items.map(({ id }) => id)).toEqual([...left, "4"]);
  const aside = readdirSync(folder).filter((found) => found.startsWith("store.jobs.bad-"));
  expect(aside.map((found) => readFileSync(join(folder, found), "utf8"))).toEqual([damaged]);
  expect((await store.verify()).findings).toEqual([]);
});

it("repairs a damaged file of jobs", async () => {
  const { folder, file } = await filled();
  writeFileSync(file, readFileSync(file, "utf8").replace('"id":"2"', '"id":"9"'));
  await using store = await openStore(`jsonl:${folder}`, { onProblem: () => {} });
  const { repaired, findings } = await store.repair();
  expect(repaired).toMatchObject([{ code: "bad-job", line: 3, message: /set aside as .*store\.jobs\.bad-/ }]);
  expect(findings).toEqual([]);
  expect((await store.jobs.list()).items.map(({ id }) => id)).toEqual(["1", "3"]);
});

it("is in a backup, without the jobs of other conversations", async () => {
  const { folder } = await filled();
  const copy = join(tempFolder(), "copy");
  {
    await using store = await openStore(`jsonl:${folder}`);
    const gone = await store.create();
    await store.jobs.change({ put: [{ ...name("4"), conversation: gone.id }] });
    await store.purge(gone.id, { force: true });
    await store.backup(copy);
  }
  await using backup = await openStore(`jsonl:${copy}`);
  expect((await backup.jobs.list()).items.map(({ id }) => id)).toEqual(["1", "2", "3"]);
});

it("does not exist before there is a job", async () => {
  const folder = join(tempFolder(), "store");
  await using store = await openStore(`jsonl:${folder}`);
  await store.create();
  expect((await store.jobs.list()).items).toEqual([]);
  expect(existsSync(join(folder, "store.jobs"))).toBe(false);
});
