import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { ByteSource, SourceFile } from "./types.ts";
import { walk } from "./walk.ts";

/** A folder with these files. */
function folder(files: Readonly<Record<string, string>>): string {
  const root = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

async function found(...paths: readonly string[]): Promise<{ files: SourceFile[]; problems: string[] }> {
  const problems: string[] = [];
  const files: SourceFile[] = [];
  const onProblem = (path: string, reason: string): number => problems.push(`${path} ${reason}`);
  for await (const file of walk(paths, { onProblem })) files.push(file);
  return { files, problems };
}

const names = (files: readonly SourceFile[]): string[] => files.map(({ relative }) => relative);

async function textOf(source: ByteSource, from?: number): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of source.chunks(from)) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString();
}

describe("walking", () => {
  it("finds the files below a folder in the order of their names, hidden ones too", async () => {
    const root = folder({ "b.txt": "", "a/z": "", "a/.dot/x": "", B: "", ".tool/s.jsonl": "", "a.txt": "" });
    const { files, problems } = await found(root);
    expect(names(files)).toEqual([".tool/s.jsonl", "B", "a/.dot/x", "a/z", "a.txt", "b.txt"]);
    expect(problems).toEqual([]);
  });

  it("skips folders that never contain conversations, unless one is named", async () => {
    const root = folder({ ".git/a": "", "node_modules/b": "", "x/node_modules/c": "", d: "" });
    expect(names((await found(root)).files)).toEqual(["d"]);
    expect(names((await found(join(root, ".git"))).files)).toEqual(["a"]);
  });

  it("describes a file", async () => {
    const root = folder({ "a/b.jsonl": "12345" });
    utimesSync(join(root, "a/b.jsonl"), 1000, 1000);
    const { dev, ino } = statSync(join(root, "a/b.jsonl"));
    const [file] = (await found(root)).files;
    expect(file).toMatchObject({
      path: join(root, "a/b.jsonl"),
      root,
      relative: "a/b.jsonl",
      size: 5,
      modifiedMs: 1_000_000,
      identity: `${dev}:${ino}`,
      archive: undefined,
    });
    expect(file?.around).toMatchObject({ path: file?.path, modifiedMs: 1_000_000 });
  });

  it("takes a file as it takes a folder", async () => {
    const root = folder({ "a/b.jsonl": "1", "a/beside": "2" });
    const [file] = (await found(join(root, "a/b.jsonl"))).files;
    expect(file).toMatchObject({ relative: "b.jsonl", root: join(root, "a/b.jsonl") });
    expect((await file?.around.read("beside"))?.toString()).toBe("2");
  });

  it("returns each file once, even if several paths lead to it", async () => {
    const root = folder({ "a/x": "1", "b/y": "2" });
    symlinkSync(join(root, "a"), join(root, "b/again"));
    symlinkSync(join(root, "a/x"), join(root, "link"));
    linkSync(join(root, "b/y"), join(root, "hard"));
    const { files, problems } = await found(root, root, join(root, "a"), join(root, "a/x"));
    expect(names(files)).toEqual(["a/x", "b/y"]);
    expect(problems).toEqual([]);
  });

  it("follows a given path that is a link, and no link below it that leads elsewhere", async () => {
    const elsewhere = folder({ "s/x": "1", "s/beside": "2" });
    const outside = folder({ "secret.jsonl": "3" });
    symlinkSync(outside, join(elsewhere, "s/out"));
    symlinkSync(join(outside, "secret.jsonl"), join(elsewhere, "s/secret"));
    symlinkSync("/", join(elsewhere, "root"));
    symlinkSync("..", join(elsewhere, "up"));
    symlinkSync("/dev/zero", join(elsewhere, "zero"));
    const root = folder({ a: "" });
    symlinkSync(elsewhere, join(root, "link"));
    const { files, problems } = await found(join(root, "link"));
    expect(names(files)).toEqual(["s/beside", "s/x"]);
    expect((await files[1]?.around.read("beside"))?.toString()).toBe("2");
    const out = "is a symbolic link that leads out of the imported folder. To include it, name it as well";
    const links = ["root", "s/out", "s/secret", "up", "zero"];
    expect(problems).toEqual(links.map((name) => `${join(root, "link", name)} ${out}`));
  });

  it("says nothing of a link to a program, or into a folder that is passed over", async () => {
    const elsewhere = folder({ "bin/codex": "", "lib/node_modules/claw/skills/x": "", "a.JSONL.zst": "" });
    const root = folder({ a: "1" });
    symlinkSync(join(elsewhere, "bin/codex"), join(root, "apply_patch"));
    symlinkSync(join(elsewhere, "lib/node_modules/claw/skills"), join(root, "skills"));
    symlinkSync(join(elsewhere, "lib/node_modules/claw/skills/x"), join(root, "x.json"));
    symlinkSync(join(elsewhere, "a.JSONL.zst"), join(root, "b"));
    symlinkSync(join(elsewhere, "bin/codex"), join(root, "c.jsonl.reset.2026-11-18"));
    symlinkSync(join(elsewhere, "bin"), join(root, "d"));
    const { files, problems } = await found(root);
    expect(names(files)).toEqual(["a"]);
    expect(problems.map((text) => text.slice(root.length + 1).split(" ", 1)[0])).toEqual([
      "b",
      "c.jsonl.reset.2026-11-18",
      "d",
    ]);
  });

  it("says nothing of a link to what is imported anyway", async () => {
    const root = folder({ "a/x": "1", "a/b/y": "2" });
    const elsewhere = folder({ "s/z": "3" });
    for (const [name, target] of [
      ["1", "a"],
      ["2", "a/x"],
      ["a/b/up", root],
      ["a/b/up2", ".."],
      ["3", join(elsewhere, "s")],
    ] as const) {
      symlinkSync(target, join(root, name));
    }
    const { files, problems } = await found(root, join(root, "3"));
    expect(names(files)).toEqual(["a/b/y", "a/x", "z"]);
    expect(problems).toEqual([]);
  });

  it("reports links that lead back to themselves, and broken ones", async () => {
    const root = folder({ "a/b/x": "1" });
    symlinkSync("self", join(root, "self"));
    symlinkSync("two", join(root, "one"));
    symlinkSync("one", join(root, "two"));
    symlinkSync("gone", join(root, "broken"));
    const { files, problems } = await found(root);
    expect(names(files)).toEqual(["a/b/x"]);
    expect(problems).toEqual([
      `${join(root, "broken")} does not exist`,
      `${join(root, "one")} is a symbolic link that leads back to itself`,
      `${join(root, "self")} is a symbolic link that leads back to itself`,
      `${join(root, "two")} is a symbolic link that leads back to itself`,
    ]);
  });

  it.skipIf(process.platform !== "linux")("reports names that are not UTF-8 as that", async () => {
    const root = folder({ a: "1", "gone\ufffd": "2" });
    writeFileSync(Buffer.from(`${root}/caf\xe9.jsonl`, "latin1"), "3");
    mkdirSync(Buffer.from(`${root}/b\xff`, "latin1"));
    const { files, problems } = await found(root);
    expect(names(files)).toEqual(["a", "gone\ufffd"]);
    const reason = "has a name that is not valid UTF-8. To include it, rename it";
    expect(problems).toEqual(["b\ufffd", "caf\ufffd.jsonl"].map((name) => `${join(root, name)} ${reason}`));
    expect((await found(join(root, "none"))).problems).toEqual([`${join(root, "none")} does not exist`]);
  });

  it("never opens a pipe", async () => {
    const root = folder({ a: "" });
    execFileSync("mkfifo", [join(root, "pipe")]);
    const { files, problems } = await found(root, join(root, "pipe"));
    expect(names(files)).toEqual(["a"]);
    const reason = "is not a file but a socket, a pipe or a device";
    expect(problems).toEqual(Array(2).fill(`${join(root, "pipe")} ${reason}`));
  });

  it("never opens a socket, and mentions one only if it is named", async () => {
    const [root, elsewhere] = [folder({ a: "" }), folder({})];
    const servers = [join(root, "socket"), join(elsewhere, "socket")].map((path) =>
      createServer().listen(path),
    );
    await Promise.all(servers.map((server) => once(server, "listening")));
    symlinkSync(join(elsewhere, "socket"), join(root, "link.db"));
    const below = await found(root);
    const named = await found(join(root, "socket"));
    for (const server of servers) server.close();
    expect({ ...below, files: names(below.files) }).toMatchObject({ files: ["a"], problems: [] });
    expect(named.problems).toHaveLength(1);
  });

  it("reports a missing path", async () => {
    const { files, problems } = await found("/no/such/place");
    expect([files, problems]).toEqual([[], ["/no/such/place does not exist"]]);
  });

  it.skipIf(process.getuid?.() === 0)("reports files without permission", async () => {
    const root = folder({ "a/x": "1", b: "a file that is long enough to be a zip" });
    chmodSync(join(root, "a"), 0);
    chmodSync(join(root, "b"), 0);
    const { files, problems } = await found(root);
    chmodSync(join(root, "a"), 0o700);
    expect(files).toEqual([]);
    expect(problems).toEqual([
      `${join(root, "a")} cannot be read: permission denied`,
      `${join(root, "b")} cannot be read: permission denied`,
    ]);
  });

  it("stops on abort", async () => {
    const root = folder({ a: "", b: "" });
    const stop = new AbortController();
    const walking = walk([root], { onProblem: () => {}, signal: stop.signal });
    await walking.next();
    stop.abort();
    await expect(walking.next()).rejects.toThrow("abort");
  });
});

describe("the files around a file", () => {
  it("are read and listed by their relative names", async () => {
    const root = folder({ "s/main.jsonl": "m", "s/sub/a.txt": "A", "s/sub/b.txt": "B", "up.txt": "U" });
    const main = (await found(root)).files.find(({ relative }) => relative === "s/main.jsonl");
    expect(await main?.around.list("sub")).toEqual(["a.txt", "b.txt"]);
    expect(await main?.around.list(".")).toEqual(["main.jsonl", "sub"]);
    expect(await main?.around.list("none")).toEqual([]);
    expect((await main?.around.read("sub/b.txt"))?.toString()).toBe("B");
    expect((await main?.around.read("../up.txt"))?.toString()).toBe("U");
    expect(await main?.around.read("sub/b.txt", 0)).toBeUndefined();
    expect(await main?.around.read("sub")).toBeUndefined();
    expect(await main?.around.read("none\0")).toBeUndefined();
  });

  it("are read whole when they are large", async () => {
    const large = Array.from({ length: 400_000 }, (_, index) => String(index)).join(" ");
    const root = folder({ main: "m", large });
    const main = (await found(root)).files.find(({ relative }) => relative === "main");
    expect((await main?.around.read("large"))?.toString() === large).toBe(true);
  });

  it("are never outside the given path", async () => {
    const outside = folder({ "secret/key": "s" });
    const root = folder({ "in/main": "m", "in2/x": "x" });
    symlinkSync(join(outside, "secret/key"), join(root, "in/link"));
    const [main] = (await found(join(root, "in"))).files.filter(({ relative }) => relative === "main");
    for (const name of ["link", join(outside, "secret/key"), "../in2/x", "../../../../../../etc/passwd"]) {
      expect(await main?.around.read(name), name).toBeUndefined();
    }
    expect(await main?.around.list("..")).toEqual([]);
  });
});

describe("a file that changes", () => {
  it("and grows is read up to the size that it had", async () => {
    const root = folder({ a: "12345" });
    const source = await ((await found(root)).files[0] as SourceFile).open();
    writeFileSync(join(root, "a"), "1234567890");
    expect(await textOf(source)).toBe("12345");
    await source.close();
  });

  it("and shrinks returns the rest, then a problem", async () => {
    const root = folder({ a: "x".repeat(3_000_000) });
    const source = await ((await found(root)).files[0] as SourceFile).open();
    truncateSync(join(root, "a"), 1000);
    const chunks = source.chunks()[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toHaveLength(1000);
    await expect(chunks.next()).rejects.toMatchObject({ details: { problem: "shrunk" } });
    await source.close();
  });

  it("and vanishes is a problem, but not once it is open", async () => {
    const root = folder({ a: "1", b: "2" });
    const [a, b] = (await found(root)).files as [SourceFile, SourceFile];
    const open = await b.open();
    rmSync(join(root, "a"));
    rmSync(join(root, "b"));
    await expect(a.open()).rejects.toMatchObject({ details: { problem: "vanished" } });
    expect(await textOf(open)).toBe("2");
    await open.close();
  });

  it("into a pipe is not waited for", async () => {
    const root = folder({ a: "1" });
    const [file] = (await found(root)).files as [SourceFile];
    execFileSync("mkfifo", [join(root, "pipe")]);
    renameSync(join(root, "pipe"), join(root, "a"));
    await expect(file.open()).rejects.toMatchObject({ details: { problem: "no-file" } });
  });
});
