import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";

const name = (id: string): { queue: string; id: string } => ({ queue: "inbox", id });

async function filled(): Promise<string> {
  const file = join(tempFolder(), "agent.db");
  await using store = await openStore(`sqlite:${file}`);
  const chat = await store.open("cli:a");
  await chat.append({ role: "user", content: "one" }, { jobs: ["1", "2", "3"].map(name) });
  return file;
}

function damage(file: string, sql: string): void {
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(sql);
  database.close();
}

it("reports a job that is not as it was written, does not return it, and removes it in a repair", async () => {
  const file = await filled();
  damage(file, `UPDATE jobs SET data = '{"to":"another"}' WHERE id = '2'`);
  const problems: string[] = [];
  const onProblem = ({ message }: Error): void => void problems.push(message);
  await using store = await openStore(`sqlite:${file}`, { onProblem });
  expect((await store.jobs.list()).items.map(({ id }) => id)).toEqual(["1", "3"]);
  expect(problems).toEqual([expect.stringContaining("job 2 of inbox does not match its checksum")]);
  expect((await store.verify()).findings).toMatchObject([{ code: "bad-job" }]);
  const { repaired, findings } = await store.repair();
  expect(repaired).toMatchObject([{ code: "bad-job" }]);
  expect(findings).toEqual([]);
});

it("finds jobs of conversations that do not exist", async () => {
  const file = await filled();
  damage(
    file,
    "PRAGMA foreign_keys = OFF; DELETE FROM operations; DELETE FROM entries; DELETE FROM conversations",
  );
  await using store = await openStore(`sqlite:${file}`);
  const found = (await store.verify()).findings.map(({ code }) => code);
  expect(found).toEqual(["orphan-job", "orphan-job", "orphan-job"]);
  expect((await store.repair()).findings).toEqual([]);
});

it("keeps jobs when a damaged file is rebuilt, and in the view of it", async () => {
  const file = await filled();
  damage(file, "UPDATE entries SET body = replace(body, 'one', 'two')");
  {
    await using store = await openStore(`sqlite:${file}`, { onProblem: () => {} });
    const { repaired } = await store.repair();
    expect(repaired.map(({ code }) => code)).toContain("damaged-file");
    expect((await store.jobs.list()).items.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  }
  damage(file, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'jobs'");
  await using store = await openStore(`sqlite:${file}`, { onProblem: () => {}, readonly: true });
  expect((await store.jobs.list()).items.map(({ id }) => id)).toEqual(["1", "2", "3"]);
});

it("lists and copies all others, however many jobs are damaged", async () => {
  const file = join(tempFolder(), "agent.db");
  const ids = Array.from({ length: 450 }, (_, at) => `${at}`);
  {
    await using store = await openStore(`sqlite:${file}`);
    await store.jobs.change({ put: ids.map(name) });
  }
  damage(file, "UPDATE jobs SET data = '{\"to\":\"another\"}' WHERE id < '2' OR id = '20'");
  const left = ids.filter((id) => !(id < "2" || id === "20"));
  await using store = await openStore(`sqlite:${file}`, { onProblem: () => {} });
  expect((await Array.fromAsync(store.jobs.list({ limit: 3 }))).map(({ id }) => id)).toEqual(left);
  await using copy = await openStore("ephemeral:");
  await store.copyTo(copy);
  expect((await Array.fromAsync(copy.jobs.list())).map(({ id }) => id)).toEqual(left);
});
