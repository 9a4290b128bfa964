import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemRandom } from "../util/uuid.ts";
import { type FileIo, systemIo } from "./file-io.ts";
import { removeLeftovers, replaceFile } from "./replace-file.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-atomic-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function fail(): never {
  throw Object.assign(new Error("EIO: failed"), { code: "EIO", syscall: "test" });
}

describe("replacing a file", () => {
  it("puts the new content under the name, for its owner alone, and leaves nothing else", () => {
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

  it("keeps the former content under another name, and only the last one", () => {
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

  it("of a killed process leaves a temporary file, which is removed, and no other", () => {
    const folder = newFolder();
    const temporary = ".colloquy-0123456789ab-a.tmp";
    for (const name of [temporary, "a", "mine.tmp", ".colloquy-notes"])
      writeFileSync(join(folder, name), "x");
    removeLeftovers(systemIo, folder);
    expect(readdirSync(folder).sort()).toEqual([".colloquy-notes", "a", "mine.tmp"]);
  });
});
