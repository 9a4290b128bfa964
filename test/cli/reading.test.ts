import { spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { BIN, Place, type Printed, type Result } from "./run-command.ts";

/** As if standard output were a terminal of ten rows. */
const TERMINAL = encodeURIComponent("Object.assign(process.stdout, { isTTY: true, rows: 10, columns: 80 })");
const ON_TERMINAL = { NODE_OPTIONS: `--import=data:text/javascript,${TERMINAL}`, TERM: "xterm" };
const GREEN = "\u001b[32m";

const place = new Place();
const target = `sqlite:${place.state}/conversations.db`;
beforeAll(async () => {
  await using store = await openStore(target);
  const chat = await store.open("notes:long");
  for (let n = 1; n <= 9; n++)
    await chat.append({ role: n % 2 ? "user" : "assistant", content: `Said ${n}` });
  const short = await store.open("notes:short");
  await short.append({ role: "assistant", content: "Short" });
  await short.branch(null, { name: "idea" });
});
afterAll(() => place[Symbol.dispose]());

const history = (key: string, env: Record<string, string>, ...args: string[]): Promise<Result> =>
  place.run(["sessions", "history", key, ...args], { env: { ...ON_TERMINAL, ...env } });

describe("colours", () => {
  it.each([
    ["on a terminal", { NO_COLOR: "" }, [], true],
    ["not with NO_COLOR", { NO_COLOR: "1" }, [], false],
    ["not on a dumb terminal", { NO_COLOR: "", TERM: "dumb" }, [], false],
    ["with --color always, whatever NO_COLOR says", { NO_COLOR: "1" }, ["--color", "always"], true],
    ["not with --color never", { NO_COLOR: "" }, ["--color=never"], false],
    ["with --color auto as without it", { NO_COLOR: "" }, ["--color", "auto"], true],
  ])("are used %s", async (_, env, args, used) => {
    const { stdout } = await history("notes:short", env, ...args);
    expect(stdout.includes(GREEN)).toBe(used);
    expect(stdout).toContain("Short");
  });

  it("are used in a pipe with --color always only, for roles, branches and errors", async () => {
    const always = ["--color", "always"];
    const env = { NO_COLOR: "" };
    expect((await place.run(["sessions", "show", "notes:short"], { env })).stdout).not.toContain("\u001b");
    expect((await place.run(["sessions", "show", "notes:short", ...always])).stdout).toContain(
      `${GREEN}assistant\u001b[39m`,
    );
    expect((await place.run(["sessions", "branches", "notes:short", ...always])).stdout).toContain(
      `${GREEN}* main\u001b[39m`,
    );
    expect((await place.run(["sessions", "show", "no:one", ...always])).stderr).toMatch(/^\S+Error:\S+ Conv/);
    expect((await place.json(["sessions", "show", "notes:short", ...always])).branch).toBe("main");
  });
});

describe("the pager", () => {
  it.each([
    ["a program with options", "cat -n", /^ +1\tuser[^\n]*\n +2\t {2}Said 1\n/],
    ["a command for the shell", "sed 's/^/| /'", /^\| user[^\n]*\n\| {3}Said 1\n/],
  ])("is %s", async (_, pager, output) => {
    const { code, stdout, stderr } = await history("notes:long", { PAGER: pager });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(output);
    expect(
      (await place.run(["sessions", "show", "notes:long"], { env: { ...ON_TERMINAL, PAGER: pager } })).stdout,
    ).toMatch(/^ +1\tId|^\| Id/);
  });

  it.each(["/no/such/pager", "'/no/such/pager' -x", "", "cat"])(
    "may be %j, which shows the text",
    async (pager) => {
      const { code, stdout } = await history("notes:long", { PAGER: pager });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^user[^\n]*\n {2}Said 1\n(.*\n)*user[^\n]*\n {2}Said 9\n$/);
    },
  );

  it("may end before it has read everything", async () => {
    const { code, stderr, stdout } = await history("notes:long", { PAGER: "head -n 1" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^user[^\n]*\n$/);
  });

  it("is not used for a short text, for JSON, and in a pipe", async () => {
    const env = { PAGER: "cat -n" };
    expect((await history("notes:short", env)).stdout).toMatch(/^assistant/);
    expect((await history("notes:long", env, "--json")).stdout).toMatch(/^\{/);
    expect((await place.run(["sessions", "history", "notes:long"], { env })).stdout).toMatch(/^user/);
  });
});

describe("an entry and those around it", () => {
  const seqs = async (...args: string[]): Promise<number[]> => {
    const { entries } = await place.json(["sessions", "show", "notes:long", ...args]);
    return entries.map(({ seq }: Printed) => seq);
  };

  it("are shown by number and by id, with as many as wanted", async () => {
    expect(await seqs("--at", "5")).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(await seqs("--at", "5", "-C", "1")).toEqual([4, 5, 6]);
    expect(await seqs("--at", "5", "-C0")).toEqual([5]);
    expect(await seqs("--at", "9", "--context", "2")).toEqual([7, 8, 9]);
    const { entries } = await place.json(["sessions", "show", "notes:long"]);
    expect(await seqs("--at", entries[0].id, "-C", "2")).toEqual([1, 2, 3]);
    const { stdout } = await place.run(["sessions", "show", "notes:long", "--at", "2", "-C", "1"]);
    expect(stdout).toMatch(/\n {2}1 +user .*\n> 2 +assistant .*\n {2}3 +user .*\n$/);
  });

  it("must be on the branch", async () => {
    const idea = await place.failure(["sessions", "show", "notes:short", "--at", "1", "--branch", "idea"]);
    expect(idea).toMatchObject({ code: 1, error: { code: "NOT_FOUND", field: "at" } });
    expect(idea.error.message).toMatch(/ is not on the branch idea: add --branch NAME or --all$/);
    const { entries } = await place.json(["sessions", "show", "notes:short", "--at", "1", "--all"]);
    expect(entries).toHaveLength(2);
  });
});

describe("following", () => {
  it.each(["sqlite:follow.db", "jsonl:follow"])("shows what others add to %s, until Ctrl-C", async (name) => {
    const [engine = "", file = ""] = name.split(":");
    const other = `${engine}:${place.path(file)}`;
    await using store = await openStore(other);
    const chat = await store.open("notes:live");
    await chat.append({ role: "user", content: "Before" });
    const args = [BIN, "sessions", "show", "notes:live", "--follow", "--json", "--store", other];
    const child = spawn(process.execPath, args, { env: { ...process.env, COLLOQUY_STATE_DIR: place.state } });
    const closed = new Promise((resolve) => child.once("close", resolve));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<Printed> => JSON.parse((await lines.next()).value ?? "null");
    expect((await next()).entries).toHaveLength(1);
    await (await store.open("notes:other")).append({ role: "user", content: "Elsewhere" });
    await chat.append([
      { role: "assistant", content: "One" },
      { role: "user", content: "Two" },
    ]);
    expect((await next()).entry).toMatchObject({ seq: 2, message: { content: "One" } });
    expect((await next()).entry).toMatchObject({ seq: 3, message: { content: "Two" } });
    child.kill("SIGINT");
    expect(await closed).toBe(0);
  });

  it("keeps its columns, whatever is added", async () => {
    await using store = await openStore(target);
    const chat = await store.open("notes:columns");
    const { entries } = await chat.append({ role: "user", content: "Hi" });
    const env = { ...process.env, COLLOQUY_STATE_DIR: place.state, COLUMNS: "80", NO_COLOR: "1" };
    const child = spawn(process.execPath, [BIN, "sessions", "show", "notes:columns", "-f"], { env });
    const closed = new Promise((resolve) => child.once("close", resolve));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (text: string): Promise<number> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`ended before ${text}`);
        if (value.includes(text)) return value.indexOf(text);
      }
    };
    const places = [await next("TEXT"), await next("Hi")];
    await chat.append({ role: "assistant", content: "One", endState: "interrupted" });
    places.push(await next("One"));
    await chat.label(entries[0]?.id ?? "", "important");
    for (let number = 2; number < 12; number++) await chat.append({ role: "user", content: `N${number}.` });
    for (let number = 2; number < 12; number++) places.push(await next(`N${number}.`));
    child.kill("SIGINT");
    await closed;
    expect(new Set(places).size).toBe(1);
  });

  it("ends when the conversation is deleted", async () => {
    await using store = await openStore(target);
    const chat = await store.open("notes:gone");
    const env = { ...process.env, COLLOQUY_STATE_DIR: place.state, COLUMNS: "60" };
    const child = spawn(process.execPath, [BIN, "sessions", "show", "notes:gone", "-f"], { env });
    let stderr = "";
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    await new Promise<void>((resolve) => {
      child.stdout.on("data", () => resolve());
    });
    await chat.append({ role: "user", content: "Last words" });
    await store.delete(chat.id);
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
    expect(stderr).toBe("The conversation was moved to the trash.\n");
  });
});
