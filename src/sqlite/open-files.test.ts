import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { OpenFiles } from "./open-files.ts";

/** The names of a store, in its own folder. */
function files(): string {
  const path = join(tempFolder(), "store", "x.db");
  mkdirSync(join(path, ".."));
  for (const suffix of ["", "-wal", "-shm"]) writeFileSync(path + suffix, "");
  return path;
}

/** Longer than a tick of the clock that dates changes of a folder. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 25));

const CHANGES: [string, (path: string) => void, string][] = [
  ["the log is removed", (path) => rmSync(`${path}-wal`), "x.db-wal"],
  ["the log is replaced", (path) => replace(`${path}-wal`), "x.db-wal"],
  ["the database is replaced", replace, "x.db"],
  ["the folder is moved", (path) => renameSync(join(path, ".."), join(path, "../../moved")), "x.db"],
];

function replace(path: string): void {
  writeFileSync(`${path}.new`, "");
  renameSync(`${path}.new`, path);
}

describe("files that a connection has open", () => {
  it.each(CHANGES)("have changed when %s just after the folder changed", (_, change, name) => {
    const path = files();
    const open = new OpenFiles(path);
    expect(open.changed()).toBeUndefined();
    change(path);
    expect(open.changed()).toBe(join(path, "..", name));
  });

  it.each(CHANGES)("have changed when %s long after the folder changed", async (_, change, name) => {
    const path = files();
    const open = new OpenFiles(path, () => Date.now() + 60_000);
    expect(open.changed()).toBeUndefined();
    await tick();
    change(path);
    expect(open.changed()).toBe(join(path, "..", name));
  });

  it("are the same when other files of the folder come and go", async () => {
    const path = files();
    const open = new OpenFiles(path, () => Date.now() + 60_000);
    expect(open.changed()).toBeUndefined();
    await tick();
    writeFileSync(join(path, "..", "other"), "");
    expect(open.changed()).toBeUndefined();
    expect(open.changed()).toBeUndefined();
  });
});
