import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Member, makeZip } from "../../../test/support/make-zip.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { SourceFile } from "./types.ts";
import { walk } from "./walk.ts";

async function walked(
  bytes: Buffer,
  name = "export",
): Promise<{ files: SourceFile[]; problems: string[]; path: string }> {
  const path = join(tempFolder(), name);
  writeFileSync(path, bytes);
  const problems: string[] = [];
  const files: SourceFile[] = [];
  const onProblem = (at: string, reason: string): number =>
    problems.push(`${at.slice(path.length)} ${reason}`);
  for await (const file of walk([path], { onProblem })) files.push(file);
  return { files, problems, path };
}

async function zipped(...members: readonly Member[]): ReturnType<typeof walked> {
  return walked(makeZip(members));
}

async function textOf(file: SourceFile | undefined, from?: number): Promise<string> {
  const source = await file?.open();
  const parts: Buffer[] = [];
  try {
    for await (const chunk of source?.chunks(from) ?? []) parts.push(Buffer.from(chunk));
  } finally {
    await source?.close();
  }
  return Buffer.concat(parts).toString();
}

describe("a zip", () => {
  it("is recognized by its first bytes, and its members are sorted by name", async () => {
    const { files, problems, path } = await zipped(
      { name: "b.json", data: "[2]" },
      { name: "a/", data: "", method: 0 },
      { name: "a/x.json", data: "[1]", method: 0 },
    );
    expect(problems).toEqual([]);
    expect(files).toMatchObject([
      { path: `${path}!a/x.json`, relative: "export!a/x.json", root: path, size: 3, archive: path },
      { path: `${path}!b.json`, modifiedMs: Date.UTC(2026, 0, 2) },
    ]);
    expect(files[0]?.identity).toMatch(/^\d+:\d+!a\/x\.json$/);
    expect(await Promise.all(files.map((file) => textOf(file)))).toEqual(["[1]", "[2]"]);
    expect(await textOf(files[0], 1)).toBe("1]");
  });

  it("has a path for each of several members with one name, that no other member has", async () => {
    const { files, problems, path } = await zipped(
      { name: "a/x.json", data: "[1]" },
      { name: "#2/a/x.json", data: "[2]" },
      { name: "a/x.json", data: "[3]" },
      { name: "a/x.json", data: "[4]" },
    );
    expect(problems).toEqual([]);
    expect(files.map((file) => file.path.slice(path.length))).toEqual([
      "!#2/a/x.json",
      "!a/x.json",
      "!#3/a/x.json",
      "!#4/a/x.json",
    ]);
    expect(files.map(({ around }) => around.path)).toEqual(files.map((file) => file.path));
    expect(files.map(({ relative }) => relative)[2]).toBe("export!#3/a/x.json");
    expect(new Set(files.map(({ identity }) => identity)).size).toBe(4);
    expect(await Promise.all(files.map((file) => textOf(file)))).toEqual(["[2]", "[1]", "[3]", "[4]"]);
    // What is beside a file is the one whose path has the name.
    expect((await files[3]?.around.read("x.json"))?.toString()).toBe("[1]");
  });

  it("that is only called one is a file like any other", async () => {
    const { files } = await walked(Buffer.from("not a zip, only called so"), "fake.zip");
    expect(files).toMatchObject([{ relative: "fake.zip", archive: undefined }]);
  });

  it("without members is not a problem", async () => {
    expect(await zipped()).toMatchObject({ files: [], problems: [] });
  });

  it("unpacks members that are compressed a second time", async () => {
    const data = zstdCompressSync('{"a":1}\n');
    const { files } = await zipped({ name: "s.jsonl.zst", data, method: 0 });
    expect(await textOf(files[0])).toBe('{"a":1}\n');
  });

  it("has members packed by zstd, too", async () => {
    const data = zstdCompressSync("text");
    const { files } = await zipped({ name: "a", data, method: 93, size: 4, crc: crc32("text") });
    expect(await textOf(files[0])).toBe("text");
  });

  it("that was cut in half is reported as incomplete", async () => {
    const whole = makeZip([{ name: "a", data: "x".repeat(1000), method: 0 }]);
    const { files, problems } = await walked(whole.subarray(0, 500));
    expect(files).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(" is not a complete zip: ");
  });

  it("whose directory is damaged has the members before the damage", async () => {
    const whole = makeZip([
      { name: "a", data: "1" },
      { name: "b", data: "2" },
    ]);
    whole.fill(0, whole.lastIndexOf("PK\x01\x02"), whole.lastIndexOf("PK\x01\x02") + 4);
    const { files, problems } = await walked(whole);
    expect(files.map(({ relative }) => relative)).toEqual(["export!a"]);
    expect(problems[0]).toContain(" is not a complete zip: ");
  });

  it.each(["../a", "a/../../b", "/etc/a", "C:a", "a\\b", "a\0b", ""])(
    "cannot have a member named %j",
    async (name) => {
      const { files, problems } = await zipped({ name, data: "x" }, { name: "good", data: "x" });
      expect(files.map(({ relative }) => relative)).toEqual(["export!good"]);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain("has a name that leads outside the zip");
    },
  );

  it("may have two dots in a name", async () => {
    expect((await zipped({ name: "a..b/..c", data: "x" })).files).toHaveLength(1);
  });

  it("reports the members that it does not open", async () => {
    const { files, problems } = await zipped(
      { name: "crypt", data: "x", flags: 0x801 },
      { name: "link", data: "/etc/passwd", mode: 0o120777 },
      { name: "odd", data: "x", method: 12 },
      { name: "inner", data: makeZip([{ name: "a", data: "x" }]) },
      { name: "good", data: "x" },
    );
    expect(files.map(({ relative }) => relative)).toEqual(["export!good"]);
    expect(problems).toEqual([
      "!crypt is encrypted",
      "!link is a symbolic link",
      "!odd uses the unknown compression method 12",
      "!inner is a zip inside a zip, which is not opened",
    ]);
  });

  it("that is a bomb is not opened, and its other members are", async () => {
    const { files, problems } = await zipped(
      { name: "bomb", data: Buffer.alloc(200_000), size: 3_000_000_000 },
      { name: "good", data: "x" },
    );
    expect(files.map(({ relative }) => relative)).toEqual(["export!good"]);
    expect(problems).toEqual(["!bomb unpacks to a suspiciously large size"]);
  });

  it("whose members share bytes has only those that do not", async () => {
    const data = "x".repeat(1000);
    const { files, problems } = await zipped(
      { name: "a", data },
      ...Array.from({ length: 3 }, (_, index) => ({ name: `b${index}`, data, isShared: true })),
      { name: "c", data },
    );
    expect(files.map(({ relative }) => relative)).toEqual(["export!a", "export!c"]);
    expect(problems).toEqual([0, 1, 2].map((index) => `!b${index} shares bytes with another member`));
  });

  it("with a member that claims the bytes of all others has those", async () => {
    const whole = makeZip(["a", "b", "c"].map((name) => ({ name, data: "1", method: 0 })));
    const listed = whole.indexOf("PK\x01\x02");
    whole.writeUInt32LE(100, listed + 20);
    const { files, problems } = await walked(whole);
    expect(files.map(({ relative }) => relative)).toEqual(["export!b", "export!c"]);
    expect(problems).toEqual(["!a shares bytes with another member"]);
  });

  it("whose members together are a bomb is read up to there", async () => {
    const large = { data: Buffer.alloc(90_000), size: 90_000_000 };
    const members = Array.from({ length: 4 }, (_, index) => ({ name: `m${index}`, ...large }));
    const { files, problems } = await walked(makeZip(members));
    expect(files).toHaveLength(1);
    expect(problems).toEqual([1, 2, 3].map((index) => `!m${index} unpacks to a suspiciously large size`));
  });

  it("with a member that is a bomb only when it is unpacked twice is read up to there", async () => {
    // Zeros that are skipped, after which nothing seems suspicious.
    const padding = Buffer.alloc(300_000);
    padding.writeUInt32LE(0x184d2a50, 0);
    padding.writeUInt32LE(padding.length - 8, 4);
    const data = Buffer.concat([zstdCompressSync(Buffer.alloc(110_000_000)), padding]);
    const source = await (await zipped({ name: "a.zst", data })).files[0]?.open();
    await expect(async () => {
      for await (const _ of source?.chunks() ?? []);
    }).rejects.toMatchObject({ details: { problem: "too-large" } });
    await source?.close();
  });

  it("that holds more than 64 GiB is read up to there", async () => {
    const large = { data: Buffer.alloc(5_000_000, "abcdefg"), method: 0, size: 4_000_000_000 };
    const members = Array.from({ length: 18 }, (_, index) => ({ name: `m${index + 10}`, ...large }));
    const { files, problems } = await walked(makeZip(members));
    expect(files).toHaveLength(17);
    expect(problems).toEqual(["!m27 is beyond the first 64 GiB of the zip"]);
  });

  it("that understates the size of a member is refused", async () => {
    const { files } = await zipped({ name: "a", data: "x".repeat(1000), size: 10 });
    await expect(textOf(files[0])).rejects.toMatchObject({ details: { problem: "damaged" } });
  });

  it("that overstates the size of a member is reported as cut off", async () => {
    const { files } = await zipped({ name: "a", data: "x".repeat(1000), size: 2000 });
    await expect(textOf(files[0])).rejects.toMatchObject({ details: { problem: "cut-off" } });
  });

  it("whose checksums do not match is reported as damaged", async () => {
    const { files } = await zipped({ name: "a", data: "x", crc: 1 });
    await expect(textOf(files[0])).rejects.toMatchObject({ details: { problem: "damaged" } });
  });

  it("with a duplicate name has both members", async () => {
    const { files } = await zipped({ name: "a", data: "1" }, { name: "a", data: "2" });
    expect(await Promise.all(files.map((file) => textOf(file)))).toEqual(["1", "2"]);
    expect(files[0]?.identity).not.toBe(files[1]?.identity);
  });

  it("that changes after it was listed is not read any more", async () => {
    const { files, path } = await zipped({ name: "a", data: "1" });
    appendFileSync(path, "more");
    await expect(files[0]?.open()).rejects.toMatchObject({ details: { problem: "changed" } });
  });

  it("in a folder is found among its files", async () => {
    const root = tempFolder();
    mkdirSync(join(root, "in"));
    writeFileSync(join(root, "in/b.zip"), makeZip([{ name: "x/y", data: "1" }]));
    const names: string[] = [];
    for await (const file of walk([root], { onProblem: () => {} })) names.push(file.relative);
    expect(names).toEqual(["in/b.zip!x/y"]);
  });
});

describe("the files around a member", () => {
  it("are those of the zip, and none outside", async () => {
    const { files } = await zipped(
      { name: "chats/conversations.json", data: "[]" },
      { name: "chats/image/a-1.png", data: "A" },
      { name: "chats/image/a/b.png", data: "B" },
      { name: "user.json", data: "U" },
    );
    const around = files[0]?.around;
    expect(around?.path).toBe(files[0]?.path);
    expect(await around?.list("image")).toEqual(["a", "a-1.png"]);
    expect(await around?.list("..")).toEqual(["chats", "user.json"]);
    expect(await around?.list("none")).toEqual([]);
    expect((await around?.read("image/a/b.png"))?.toString()).toBe("B");
    expect((await around?.read("../user.json"))?.toString()).toBe("U");
    expect(await around?.read("image/a/b.png", 0)).toBeUndefined();
    for (const name of ["../../user.json", "/etc/passwd", "image", "none"]) {
      expect(await around?.read(name), name).toBeUndefined();
    }
  });

  it("have records that are unpacked, up to where they are damaged", async () => {
    const lines = Array.from({ length: 100 }, (_, number) => `{"number":${number}}\n`).join("");
    const { files } = await zipped(
      { name: "day/main.jsonl", data: lines },
      { name: "day/packed.jsonl.zst", data: zstdCompressSync(lines) },
      { name: "day/wrong.jsonl", data: lines, crc: 1 },
    );
    const valuesOf = async (name: string): Promise<unknown[]> =>
      (await Array.fromAsync(files[0]?.around.records(name) ?? [])).map(({ value }) => value);
    for (const name of ["main.jsonl", "packed.jsonl.zst", "wrong.jsonl"]) {
      const values = await valuesOf(name);
      expect(values, name).toHaveLength(100);
      expect(values.at(-1), name).toEqual({ number: 99 });
    }
    expect(await valuesOf("none.jsonl")).toEqual([]);
  });
});
