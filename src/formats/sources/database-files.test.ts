import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openSourceDatabase } from "./database.ts";

function closed(mode: "WAL" | "DELETE"): string {
  const path = join(tempFolder(), "app.db");
  const app = new DatabaseSync(path);
  app.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('one')`);
  app.close();
  return path;
}

const ENDS = ["-journal", "-wal", "-shm"] as const;

const KINDS: readonly [string, (path: string) => void][] = [
  ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ["a folder", (path) => mkdirSync(path)],
  ["a link to a device", (path) => symlinkSync("/dev/zero", path)],
  ["a link to a file elsewhere", (path) => symlinkSync(closed("WAL"), path)],
  ["a link to nothing", (path) => symlinkSync("none", path)],
];

describe("what has the name of a log of a database", () => {
  it.each(KINDS.flatMap(([kind, make]) => ENDS.map((end) => [kind, end, make] as const)))(
    "and is %s is never opened, and the database is not read (%s)",
    async (_, end, make) => {
      for (const mode of ["WAL", "DELETE"] as const) {
        const path = closed(mode);
        make(path + end);
        await expect(openSourceDatabase(path)).rejects.toMatchObject({
          details: { problem: "unsupported" },
          message: `${path} was not read, because app.db${end} beside it is not a plain file`,
        });
      }
    },
  );

  it("is looked for beside the database, even if that was named by a link", async () => {
    const live = closed("WAL");
    using app = new DatabaseSync(live);
    app.exec("INSERT INTO t VALUES ('two')");
    const path = join(tempFolder(), "app.db");
    for (const end of ["", "-wal"]) copyFileSync(live + end, path + end);
    const link = join(tempFolder(), "link.db");
    symlinkSync(path, link);
    const database = await openSourceDatabase(link);
    expect([...database.rows("SELECT text FROM t")]).toEqual([{ text: "one" }, { text: "two" }]);
    database.close();
    rmSync(`${path}-wal`);
    execFileSync("mkfifo", [`${path}-wal`]);
    await expect(openSourceDatabase(link)).rejects.toThrow("app.db-wal beside it is not a plain file");
  });
});
