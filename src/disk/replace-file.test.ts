import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemRandom } from "../util/uuid.ts";
import { type FileIo, systemIo } from "./file-io.ts";
import { removeLeftovers, replaceFile, withTemporary } from "./replace-file.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-atomic-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function fail(): never {
  throw Object.assign(new Error("EIO: failed"), { code: "EIO", syscall: "test" });
}

describe("replacing a file", () => {
  it("writes the new content to a private file, and leaves nothing else", () => {
    const folder = newFolder();
    replaceFile(join(folder, "a"), Buffer.from("one"), { io: systemIo, random: systemRandom });
    replaceFile(join(folder, "a"), [Buffer.from("t"), Buffer.from("wo")], {
      io: systemIo,
      random: systemRandom,
    });
    expect(readdirSync(folder)).toEqual(["a"]);
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("two");
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o600);
  });

  it("keeps the former content under another name, but only one version", () => {
    const folder = newFolder();
    const options = { io: systemIo, random: systemRandom, formerAs: join(folder, "a.bak") };
    for (const text of ["one", "two", "three"]) replaceFile(join(folder, "a"), Buffer.from(text), options);
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("three");
    expect(readFileSync(join(folder, "a.bak"), "utf8")).toBe("two");
    expect(readdirSync(folder).sort()).toEqual(["a", "a.bak"]);
  });

  it.each<[string, Partial<FileIo>]>([
    ["write", { write: fail }],
    ["write, which is short", { write: () => 1 }],
    ["sync", { sync: fail }],
    ["rename", { rename: fail }],
  ])("that fails in %s leaves the former content and no temporary file", (_, broken) => {
    const folder = newFolder();
    writeFileSync(join(folder, "a"), "former");
    const io = { ...systemIo, ...broken };
    expect(() => replaceFile(join(folder, "a"), Buffer.from("new"), { io, random: systemRandom })).toThrow();
    expect(readdirSync(folder)).toEqual(["a"]);
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("former");
  });

  it("syncs the content before the rename and the folder after it", () => {
    const folder = newFolder();
    const order: string[] = [];
    const io: FileIo = {
      ...systemIo,
      sync: () => order.push("sync"),
      rename: (from, to) => {
        order.push("rename");
        systemIo.rename(from, to);
      },
      syncFolder: () => order.push("syncFolder"),
    };
    replaceFile(join(folder, "a"), Buffer.from("x"), { io, random: systemRandom });
    expect(order).toEqual(["sync", "rename", "syncFolder"]);
  });

  it("refuses a name that is taken when the file must be new", () => {
    const folder = newFolder();
    const options = { io: systemIo, random: systemRandom, mustBeNew: true };
    replaceFile(join(folder, "a"), Buffer.from("one"), options);
    expect(() => replaceFile(join(folder, "a"), Buffer.from("two"), options)).toThrow("EEXIST");
    expect(readdirSync(folder)).toEqual(["a"]);
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("one");
  });

  it("works for a name as long as the file system allows", () => {
    const folder = newFolder();
    const path = join(folder, "ä".repeat(127));
    replaceFile(path, Buffer.from("one"), { io: systemIo, random: systemRandom });
    expect(readFileSync(path, "utf8")).toBe("one");
  });
});

describe("making a file or folder under a temporary name", () => {
  const options = { io: systemIo, random: systemRandom };

  it("shows nothing under the name until the work is done, and returns its result", async () => {
    const path = join(newFolder(), "backup");
    const made = await withTemporary(
      path,
      async (temporary) => {
        mkdirSync(temporary);
        writeFileSync(join(temporary, "a"), "x");
        expect(existsSync(path)).toBe(false);
        return "done";
      },
      options,
    );
    expect(made).toBe("done");
    expect(readdirSync(path)).toEqual(["a"]);
  });

  it("removes the temporary folder when the work fails", async () => {
    const folder = newFolder();
    const work = async (temporary: string): Promise<void> => {
      mkdirSync(temporary);
      writeFileSync(join(temporary, "a"), "x");
      fail();
    };
    await expect(withTemporary(join(folder, "backup"), work, options)).rejects.toThrow("EIO");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("temporary files of killed processes", () => {
  const NAMES = [".colloquy-0123456789ab-a.tmp", ".colloquy-00ff-b.tmp", "a", "mine.tmp", ".colloquy-notes"];

  function withNames(): string {
    const folder = newFolder();
    for (const name of NAMES) writeFileSync(join(folder, name), "x");
    return folder;
  }

  it("are removed, and no other file", () => {
    const folder = withNames();
    removeLeftovers(systemIo, folder);
    expect(readdirSync(folder).sort()).toEqual([".colloquy-notes", "a", "mine.tmp"]);
  });

  it("are removed for one file only, when asked to", () => {
    const folder = withNames();
    removeLeftovers(systemIo, folder, join(folder, "a"));
    expect(readdirSync(folder).sort()).toEqual([".colloquy-00ff-b.tmp", ".colloquy-notes", "a", "mine.tmp"]);
  });
});
