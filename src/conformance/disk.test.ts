import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { SqliteFileLock } from "../disk/file-lock.ts";
import { hasLocks } from "../disk/lock-holder.ts";
import { filesWith } from "./disk.ts";

describe("the files with certain words", () => {
  it("are found in every folder", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "deep"));
    writeFileSync(join(folder, "deep", "one"), "the secret word");
    writeFileSync(join(folder, "two"), "nothing");
    expect(filesWith(folder, "secret")).toEqual([join(folder, "deep", "one")]);
  });

  it.runIf(process.platform === "linux")("are read without a loss of locks", () => {
    const folder = tempFolder();
    const path = join(folder, "lock");
    const lock = new SqliteFileLock(path);
    expect(lock.tryAcquire()).toBe(true);
    expect(filesWith(folder, "x")).toEqual([]);
    expect(hasLocks(path)).toBe(true);
    lock.close();
  });
});
