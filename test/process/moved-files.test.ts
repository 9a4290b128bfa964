/** The files of an open store are removed, replaced, or reached by a second name. */
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/index.ts";
import { Child, canMount, Folder, lacks, mounting, must, user } from "./child-process.ts";

async function opened(folder: Folder): Promise<Child> {
  const child = new Child();
  await child.do("open", folder.target("sqlite"), {});
  return child;
}

/** What a new opener finds. */
async function textsIn(folder: Folder): Promise<unknown[]> {
  await using store = await openStore(folder.target("sqlite"));
  expect((await store.verify()).findings).toEqual([]);
  const page = await (await store.get("cli:x"))?.messages();
  return page?.items.map(({ message }) => message?.content) ?? [];
}

describe("a commit to SQLite files that are not those it opened", () => {
  it.each([
    ["the log is removed", (path: string) => rmSync(`${path}-wal`)],
    ["the log is replaced", (path: string) => replace(`${path}-wal`)],
    ["the log and its index are removed", (path: string) => rmLog(path)],
  ])("is refused when %s before it, and keeps what was acknowledged", async (_, change) => {
    using folder = new Folder();
    const path = join(folder.path, "store");
    await using child = await opened(folder);
    await child.do("append", "cli:x", user("first"));
    await child.do("close");
    await child.do("open", folder.target("sqlite"), {});
    await child.do("stopInNextWrite");
    const unanswered = child.try("append", "cli:x", user("lost"));
    await child.stopped();
    change(path);
    const message = expect.stringMatching(/-wal was removed or replaced.*no more writes: open it again/);
    const refusal = { ok: false, error: { code: "SERVICE_UNAVAILABLE", message } };
    expect(await child.wake(unanswered)).toMatchObject(refusal);
    expect(await child.try("append", "cli:x", user("later"))).toMatchObject(refusal);
    await child.kill();
    expect((await textsIn(folder)).filter((text) => text !== "lost")).toEqual(["first"]);
  });

  it("saves what only the removed log held", async () => {
    using folder = new Folder();
    await using child = await opened(folder);
    await child.do("append", "cli:x", user("first"));
    rmSync(join(folder.path, "store-wal"));
    expect(await child.try("append", "cli:x", user("not acknowledged"))).toMatchObject({ ok: false });
    await child.kill();
    expect((await textsIn(folder))[0]).toBe("first");
  });

  it("is refused when the database was moved, or replaced by another one", async () => {
    using folder = new Folder();
    const path = join(folder.path, "store");
    await using child = await opened(folder);
    await child.do("append", "cli:x", user("first"));
    await child.do("stopInNextWrite");
    const unanswered = child.try("append", "cli:x", user("lost"));
    await child.stopped();
    renameSync(path, `${path}.old`);
    const message = expect.stringMatching(/store was removed or replaced/);
    expect(await child.wake(unanswered)).toMatchObject({ ok: false, error: { message } });
    writeFileSync(path, "");
    expect(await child.try("append", "cli:x", user("later"))).toMatchObject({
      ok: false,
      error: { message },
    });
  });
});

function replace(path: string): void {
  writeFileSync(`${path}.new`, "");
  renameSync(`${path}.new`, path);
}

function rmLog(path: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix);
}

describe("a commit to a JSONL log that is not the one it opened", () => {
  it.each(["removed", "replaced"])("is refused when it is %s in between", async (state) => {
    using folder = new Folder();
    await using child = new Child();
    await child.do("open", folder.target("jsonl"), {});
    await child.do("append", "cli:x", user("first"));
    const store = join(folder.path, "store");
    const log = join(store, readdirSync(store).find((name) => /^\d{17}\.jsonl$/.test(name)) ?? "");
    const before = readFileSync(log);
    await child.do("stopInNextWrite");
    const unanswered = child.try("append", "cli:x", user("lost"));
    await child.stopped();
    rmSync(log);
    if (state === "replaced") writeFileSync(log, before);
    const message = expect.stringMatching(/was removed or replaced/);
    const refusal = { ok: false, error: { code: "SERVICE_UNAVAILABLE", message } };
    expect(await child.wake(unanswered)).toMatchObject(refusal);
    const next = await child.try("append", "cli:x", user("next"));
    expect(next.ok).toBe(state === "replaced");
    if (next.ok) expect(await child.do("texts", "cli:x")).toEqual(["first", "next"]);
  });
});

describe("a JSONL commit whose lock file is not the one it opened", () => {
  const cases = [
    { state: "removed", change: rmSync, when: "before its write", place: "look" },
    { state: "replaced", change: replace, when: "before its sync", place: "sync" },
  ] as const;

  it.each(cases)("is refused when it is $state $when, while another one writes", async (one) => {
    using folder = new Folder();
    await using child = new Child();
    await child.do("open", folder.target("jsonl"), {});
    await child.do("append", "cli:x", user("first"));
    await child.do("stopInNextWrite", one.place);
    const unanswered = child.try("append", "cli:x", user("not acknowledged"));
    await child.stopped();
    one.change(join(folder.path, "store", "store.lock"));
    await using other = new Child();
    await other.do("open", folder.target("jsonl"), {});
    await other.do("append", "cli:x", user("second"));
    const message = expect.stringMatching(/The lock file of .* was removed or replaced during a write/);
    const refusal = { ok: false, error: { code: "SERVICE_UNAVAILABLE", message } };
    expect(await child.wake(unanswered)).toMatchObject(refusal);
    await child.do("append", "cli:x", user("third"));
    await other.do("append", "cli:x", user("fourth"));
    for (const reader of [child, other]) {
      const texts = await reader.do("texts", "cli:x");
      const acknowledged = ["first", "second", "third", "fourth"];
      expect(texts.filter((text) => text !== "not acknowledged")).toEqual(acknowledged);
      expect(texts).toHaveLength(one.place === "look" ? 4 : 5);
      expect(await reader.do("verify")).toEqual([]);
    }
  });
});

describe("a JSONL store that was copied with hard links", () => {
  const HARD_LINKS = /has 2 hard links.*Copy the folder without links/;

  it("refuses to write by both names, and can be read", async () => {
    using folder = new Folder();
    const [store, copy, real] = ["store", "copy", "real"].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    await using child = new Child();
    await child.do("open", `jsonl:${store}`, {});
    await child.do("append", "cli:x", user("first"));
    must("cp", "-al", store, copy);
    await using other = new Child();
    await other.do("open", `jsonl:${copy}`, {});
    const refusal = {
      ok: false,
      error: { code: "SERVICE_UNAVAILABLE", message: expect.stringMatching(HARD_LINKS) },
    };
    const before = [store, copy].map((path) => readdirSync(path));
    for (const one of [child, other]) {
      expect(await one.try("append", "cli:x", user("lost"))).toMatchObject(refusal);
      expect(await one.try("append", "cli:new", user("lost"))).toMatchObject(refusal);
      expect(await one.do("texts", "cli:x")).toEqual(["first"]);
      expect(await one.do("verify")).toEqual([]);
    }
    expect([store, copy].map((path) => readdirSync(path))).toEqual(before);
    must("cp", "-r", copy, real);
    await using third = new Child();
    await third.do("open", `jsonl:${real}`, {});
    await third.do("append", "cli:x", user("in the copy"));
    rmSync(copy, { recursive: true });
    await child.do("append", "cli:x", user("second"));
    await child.do("append", "cli:new", user("third"));
    expect(await child.do("texts", "cli:x")).toEqual(["first", "second"]);
    expect(await third.do("texts", "cli:x")).toEqual(["first", "in the copy"]);
    for (const one of [child, third]) expect(await one.do("verify")).toEqual([]);
  });

  it("refuses when only the log or only the feed is shared", async () => {
    using folder = new Folder();
    const store = join(folder.path, "store");
    await using child = new Child();
    await child.do("open", `jsonl:${store}`, {});
    await child.do("append", "cli:x", user("first"));
    const names = readdirSync(store).filter((name) => /^\d{17}\.jsonl$|^store\.feed$/.test(name));
    expect(names).toHaveLength(2);
    for (const name of names) {
      linkSync(join(store, name), join(folder.path, name));
      expect(await child.try("append", "cli:x", user("lost"))).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(HARD_LINKS) },
      });
      rmSync(join(folder.path, name));
    }
    await child.do("append", "cli:x", user("second"));
    expect(await child.do("texts", "cli:x")).toEqual(["first", "second"]);
  });
});

describe("a second name of a SQLite file", () => {
  it("is refused when it is a hard link, until one of them is removed", async () => {
    using folder = new Folder();
    const path = join(folder.path, "store");
    await using child = await opened(folder);
    await child.do("append", "cli:x", user("first"));
    linkSync(path, `${path}.link`);
    await using other = new Child();
    for (const target of [`sqlite:${path}.link`, `sqlite:${path}`]) {
      const message = expect.stringMatching(/has 2 hard links/);
      expect(await other.try("open", target, {})).toMatchObject({ ok: false, error: { message } });
    }
    await child.do("append", "cli:x", user("second"));
    rmSync(`${path}.link`);
    expect(await textsIn(folder)).toEqual(["first", "second"]);
  });

  it("is the same store when it is a symbolic link", async () => {
    using folder = new Folder();
    const link = join(folder.path, "elsewhere", "link");
    mkdirSync(join(folder.path, "elsewhere"));
    symlinkSync(join(folder.path, "store"), link);
    await using child = await opened(folder);
    await using other = new Child();
    await other.do("open", `sqlite:${link}`, {});
    await child.do("append", "cli:x", user("first"));
    await other.do("append", "cli:x", user("second"));
    expect(await child.do("texts", "cli:x")).toEqual(["first", "second"]);
    expect(readdirSync(join(folder.path, "elsewhere"))).toEqual(["link"]);
  });

  it("is the new name of a store that was moved", async () => {
    using folder = new Folder();
    await using child = await opened(folder);
    await child.do("append", "cli:x", user("first"));
    await child.do("close");
    const moved = join(folder.path, "moved");
    renameSync(join(folder.path, "store"), moved);
    await child.do("open", `sqlite:${moved}`, {});
    await using other = new Child();
    await other.do("open", `sqlite:${moved}`, {});
    await child.do("append", "cli:x", user("second"));
    expect(await other.do("texts", "cli:x")).toEqual(["first", "second"]);
  });

  it("is the new name of a store that a reader opened first", async () => {
    using folder = new Folder();
    await using child = await opened(folder);
    await child.do("append", "cli:x", user("first"));
    await child.do("close");
    const moved = join(folder.path, "moved");
    renameSync(join(folder.path, "store"), moved);
    await using reader = new Child();
    await reader.do("open", `sqlite:${moved}`, { readonly: true });
    await child.do("open", `sqlite:${moved}`, {});
    await child.do("append", "cli:x", user("second"));
    expect(await reader.do("texts", "cli:x")).toEqual(["first", "second"]);
  });
});

describe.skipIf(lacks(canMount(), "mounts need root and unshare"))("a mount of a SQLite file", () => {
  const mountOf = (folder: Folder, ...more: string[][]): Child => {
    mkdirSync(join(folder.path, "mount"));
    writeFileSync(join(folder.path, "mount", "file"), "");
    const bind = ["--bind", join(folder.path, "store"), join(folder.path, "mount", "file")];
    return new Child({ through: mounting(bind, ...more) });
  };

  it("is refused with the first name, even if no process has the file open", async () => {
    using folder = new Folder();
    await using child = await opened(folder);
    await child.do("append", "cli:x", user("first"));
    await using other = mountOf(folder);
    const message = expect.stringContaining(`is also ${join(folder.path, "store")}.`);
    const refusal = { ok: false, error: { code: "SERVICE_UNAVAILABLE", message } };
    const target = `sqlite:${join(folder.path, "mount", "file")}`;
    expect(await other.try("open", target, {})).toMatchObject(refusal);
    expect(readdirSync(join(folder.path, "mount"))).toEqual(["file"]);
    await child.kill();
    expect(await other.try("open", target, {})).toMatchObject(refusal);
    expect(await textsIn(folder)).toEqual(["first"]);
  });

  it("is refused where the first name cannot be seen, while the file is in use", async () => {
    using folder = new Folder();
    mkdirSync(join(folder.path, "data"));
    const target = `sqlite:${join(folder.path, "data", "store")}`;
    await using child = new Child();
    await child.do("open", target, {});
    await child.do("append", "cli:x", user("first"));
    writeFileSync(join(folder.path, "store"), "");
    const bind = ["--bind", join(folder.path, "data", "store"), join(folder.path, "store")];
    await using other = new Child({
      through: mounting(bind, ["-t", "tmpfs", "none", join(folder.path, "data")]),
    });
    const message = expect.stringContaining(`is also ${join(folder.path, "data", "store")}.`);
    expect(await other.try("open", folder.target("sqlite"), {})).toMatchObject({
      ok: false,
      error: { message },
    });
    await child.do("append", "cli:x", user("second"));
    expect(await child.do("texts", "cli:x")).toEqual(["first", "second"]);
    expect(await child.do("verify")).toEqual([]);
  });

  it("is the same store when the folder is mounted, even if the first name cannot be seen", async () => {
    using folder = new Folder();
    for (const name of ["data", "mount"]) mkdirSync(join(folder.path, name));
    await using child = new Child();
    await child.do("open", `sqlite:${join(folder.path, "data", "store")}`, {});
    await child.do("append", "cli:x", user("first"));
    const bind = ["--bind", join(folder.path, "data"), join(folder.path, "mount")];
    await using other = new Child({
      through: mounting(bind, ["-t", "tmpfs", "none", join(folder.path, "data")]),
    });
    await other.do("open", `sqlite:${join(folder.path, "mount", "store")}`, {});
    await other.do("append", "cli:x", user("second"));
    expect(await child.do("texts", "cli:x")).toEqual(["first", "second"]);
  });
});
