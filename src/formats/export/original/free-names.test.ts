import { describe, expect, it } from "vitest";
import { FreeNames } from "./free-names.ts";

const given = (...files: string[]): string[] => {
  const names = new FreeNames("/out");
  return files.map((file) => names.next(file));
};

describe("names of files below a folder", () => {
  it("are given once", () => {
    expect(given("a.jsonl", "a.jsonl", "a.jsonl.2", "a.jsonl")).toEqual(
      ["a.jsonl", "a.jsonl.2", "a.jsonl.2.2", "a.jsonl.3"].map((name) => `/out/${name}`),
    );
  });

  it("never lead out of it", () => {
    expect(given("../../etc/passwd", "/etc/passwd", "C:\\..\\x", "..", "a\0/.\0./b")).toEqual([
      "/out/etc/passwd",
      "/out/etc/passwd.2",
      "/out/C:/x",
      "/out/original",
      "/out/a/b",
    ]);
  });

  it("are not those of folders that others are in", () => {
    expect(given("a.zip", "a.zip/b/c", "a.zip/d", "x/y/z", "x/y", "x")).toEqual([
      "/out/a.zip",
      "/out/a.zip.2/b/c",
      "/out/a.zip.2/d",
      "/out/x/y/z",
      "/out/x/y.2",
      "/out/x.2",
    ]);
  });

  it("have the length that file systems allow", () => {
    const names = new FreeNames("/out");
    const long = "ü".repeat(127);
    expect(names.next(`${long}a`)).toBe(`/out/${long}a`);
    expect(names.next(`${long}a`)).toBe(`/out/${"ü".repeat(126)}.2`);
    expect(names.next(long, "-1.json")).toBe(`/out/${"ü".repeat(124)}-1.json`);
    expect(names.next(`${long}${long}/x`)).toBe(`/out/${long}/x`);
  });

  it("are found at once, however many files have one name", () => {
    const names = new FreeNames("/out");
    for (let times = 1; times < 100_000; times++) names.next("all.jsonl");
    expect(names.next("all.jsonl")).toBe("/out/all.jsonl.100000");
  });
});
