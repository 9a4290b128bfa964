import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { SqliteFileLock } from "./file-lock.ts";

describe("the file lock", () => {
  it("has one holder at a time, even within a process", () => {
    const path = join(tempFolder(), "lock");
    const [one, two] = [new SqliteFileLock(path), new SqliteFileLock(path)];
    expect(one.tryAcquire()).toBe(true);
    expect(one.tryAcquire()).toBe(false);
    expect(two.tryAcquire()).toBe(false);
    one.release();
    expect(two.tryAcquire()).toBe(true);
    two.close();
    expect(one.tryAcquire()).toBe(true);
    one.close();
  });

  it("writes nothing to its file, and leaves no other file", () => {
    const folder = tempFolder();
    const path = join(folder, "lock");
    const lock = new SqliteFileLock(path);
    for (let round = 0; round < 3; round++) {
      lock.tryAcquire();
      expect(statSync(path).size).toBe(0);
      lock.release();
    }
    lock.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("notices that its file was removed", () => {
    const path = join(tempFolder(), "lock");
    const [one, two] = [new SqliteFileLock(path), new SqliteFileLock(path)];
    one.tryAcquire();
    one.release();
    rmSync(path);
    expect(two.tryAcquire()).toBe(true);
    expect(one.tryAcquire()).toBe(false);
    two.close();
    one.close();
  });

  it.runIf(process.platform === "linux")("names its holder", () => {
    const path = join(tempFolder(), "lock");
    const lock = new SqliteFileLock(path);
    lock.tryAcquire();
    expect(lock.holder()).toBe("this process");
    lock.close();
  });

  it("says which file cannot be opened", () => {
    const lock = new SqliteFileLock(join(tempFolder(), "no", "such", "folder", "lock"));
    expect(() => lock.tryAcquire()).toThrow(/Cannot open the lock file .*no\/such/);
  });
});
