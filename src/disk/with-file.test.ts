import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FileIo, systemIo } from "./file-io.ts";
import { withExistingFile, withFile } from "./with-file.ts";

function newFile(): { path: string; io: FileIo; open: Set<number> } {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-with-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a");
  writeFileSync(path, "text");
  const open = new Set<number>();
  const io: FileIo = {
    ...systemIo,
    open: (name, mode) => {
      const file = systemIo.open(name, mode);
      open.add(file);
      return file;
    },
    close: (file) => {
      open.delete(file);
      systemIo.close(file);
    },
  };
  return { path, io, open };
}

describe.each([
  [
    "withFile",
    (io: FileIo, path: string, work: (file: number) => number) => withFile(io, path, "read", work),
  ],
  ["withExistingFile", withExistingFile<number>],
])("%s", (_, run) => {
  it("returns the result of the work and closes the file", () => {
    const { path, io, open } = newFile();
    expect(run(io, path, (file) => io.statOpen(file).size)).toBe(4);
    expect(open.size).toBe(0);
  });

  it("closes the file when the work throws", () => {
    const { path, io, open } = newFile();
    const work = () => {
      throw new Error("no");
    };
    expect(() => run(io, path, work)).toThrow("no");
    expect(open.size).toBe(0);
  });
});

describe("a missing file", () => {
  it("is an error for withFile and undefined for withExistingFile", () => {
    const { path, io } = newFile();
    expect(() => withFile(io, `${path}-missing`, "read", () => 1)).toThrow("ENOENT");
    expect(withExistingFile(io, `${path}-missing`, () => 1)).toBeUndefined();
  });

  it("does not hide an ENOENT that the work throws", () => {
    const { path, io } = newFile();
    expect(() => withExistingFile(io, path, () => io.open(`${path}-missing`, "read"))).toThrow("ENOENT");
  });
});
