import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { until } from "../support/until.ts";
import { BIN, Place, type Printed } from "./run-command.ts";

const WIDE = { env: { COLUMNS: "80" } };
const LONG_TITLE = "Lighthouses of the north, their keepers and all the storms they have seen since 1858";

describe("search", () => {
  const place = new Place();
  const index = `${place.state}/conversations.db-search`;

  beforeAll(async () => {
    await using store = await openStore(`sqlite:${place.state}/conversations.db`);
    const north = await store.open("discord:dm:42", { title: LONG_TITLE });
    const { entries } = await north.append([
      { role: "user", content: "Tell me about the lighthouse", at: "2026-01-05T10:00:00Z" },
      {
        role: "assistant",
        content: `The old keeper of the lighthouse ${"wrote a long book and ".repeat(12)}left.`,
      },
      { role: "user", content: "Something else now" },
      { role: "assistant", content: "Gladly" },
    ]);
    await north.branch(entries[1]?.id ?? "", { name: "idea", checkout: true });
    await north.append({ role: "user", content: "A sailor\u202e and a mermaid" });
    await north.checkout("main");
    await (await store.open("cli:default")).append({ role: "user", content: "Wo stehen die Leuchttürme?" });
    await (await store.open("telegram:7", { title: "灯台" })).append([
      { role: "user", content: `日本の灯台について${"教えてください。".repeat(12)}` },
      { role: "assistant", content: "function fitToContextWindow(messages) {\n    return messages;\n}" },
    ]);
  });
  afterAll(() => place[Symbol.dispose]());

  it("shows hits by conversation on lines that fit, and how to open the first", async () => {
    const { code, stdout, stderr } = await place.run(["search", "keeper", "lighthouse", "leuchtturm"], WIDE);
    expect(code).toBe(0);
    const [north = "", german = ""] = stdout.split("\n\n");
    expect(north.split("\n")).toEqual([
      expect.stringMatching(/^Lighthouses of the north, their keepers .*… {2}#1 {2}discord:dm:42$/),
      "  2  assistant · just now",
      "     The old keeper of the lighthouse wrote a long book and wrote a long book",
      "     and wrote a long book and wrote a long book and wrote a long book and wrote",
      expect.stringMatching(/^ {5}a long book and wrote .*…$/),
      "  1  user · 2026-01-05",
      "     Tell me about the lighthouse",
      expect.stringMatching(/^ {2}3 {2}user/),
      "     Something else now",
      expect.stringMatching(/^ {2}4 {2}assistant/),
      "     Gladly",
    ]);
    expect(german).toBe(
      "Wo stehen die Leuchttürme?  #2  cli:default\n  1  user · just now\n     Wo stehen die Leuchttürme?\n",
    );
    expect(stderr).toBe(
      "Show the first hit in its place: colloquy sessions show discord:dm:42 --at 2 -C 3\n",
    );
    // The rows are a list.
    expect((await place.run(["sessions", "history", "#2"])).stdout).toContain("Leuchttürme");
    expect(existsSync(index)).toBe(true);
  });

  it("highlights words across lines and in wide characters", async () => {
    const options = { env: { COLUMNS: "40", NO_COLOR: "" } };
    const { stdout } = await place.run(["search", "灯台", "context window", "--color", "always"], options);
    const shown = stdout.replaceAll("\u001b[1m\u001b[33m", "<").replaceAll("\u001b[39m\u001b[22m", ">");
    const lines = shown.split("\n").filter((line) => line.startsWith("     "));
    expect(lines).toEqual([
      "     function",
      "     fitTo<ContextWindow>(messages) {",
      "     return messages; }",
      "     日本の<灯台>について教えてください。",
      "     教えてください。教えてください。教",
      "     えてください。教えてください。教え…",
    ]);
  });

  it("prints what a program needs, page by page", async () => {
    const first = await place.json(["search", "lighthouse", "--limit", "1"]);
    expect(Object.keys(first)).toEqual(["hits", "cursor", "indexed"]);
    expect(first.hits).toEqual([
      {
        conversation: expect.stringMatching(/^[0-9a-f-]{36}$/),
        key: "discord:dm:42",
        title: LONG_TITLE,
        entry: expect.any(String),
        seq: 1,
        branch: "main",
        active: true,
        role: "user",
        model: null,
        at: "2026-01-05T10:00:00.000Z",
        snippet: "Tell me about the lighthouse",
        highlights: [[18, 28]],
        score: expect.any(Number),
      },
    ]);
    const { stderr } = await place.run(["search", "-C0", "lighthouse", "--limit", "1", "--role", "user"]);
    expect(stderr).not.toContain("More hits");
    const more = (await place.run(["search", " -storm", "light*", "--limit", "1", "-C", "1"])).stderr;
    const command = /^More hits: colloquy search ' -storm light\*' --limit 1 -C 1 --cursor (\S+)$/m.exec(
      more,
    );
    const next = await place.json(["search", "lighthouse", "--limit", "1", "--cursor", command?.[1] ?? ""]);
    expect(next.hits).toMatchObject([{ seq: 2 }]);
  });

  it("shows messages around hits, each once, in the order of the conversation", async () => {
    const args = ["search", "lighthouse", "-C", "2"];
    const { stdout } = await place.run([...args, "--role", "user", "--color", "always"], WIDE);
    expect(stdout.split("\n").slice(-3)).toEqual([
      expect.stringContaining("\u001b[2m  2  assistant · The old keeper of the lighthouse wrote"),
      "\u001b[2m  3  user · Something else now\u001b[22m",
      "",
    ]);
    const all = (await place.run([...args, "--key", "discord:", "keeper"], WIDE)).stdout;
    expect([...all.matchAll(/^ {2}(\d) /gm)].map(([, number]) => number)).toEqual(["1", "2", "3", "4"]);
    const { hits } = await place.json([...args, "--role", "user"]);
    expect(hits.map(({ before, after }: Printed) => [before.length, after[1].seq])).toEqual([[0, 3]]);
  });

  it("names a side branch, and opens a hit on it in its place", async () => {
    const { stdout, stderr } = await place.run(["search", '"a mermaid"'], WIDE);
    expect(stdout).toContain("  6  user · just now · branch idea\n     A sailor and a mermaid\n");
    expect(stderr).toContain("colloquy sessions show discord:dm:42 --at 6 -C 3 --branch idea\n");
    const opened = await place.run(["search", "mermaid", "--open", "-C", "1"]);
    expect(opened.stdout).toMatch(
      /\n {2}2 {2}assistant .*\n> 6 {2}user +just now {2}A sailor and a mermaid\n$/,
    );
    const { branch, entries } = await place.json(["search", "mermaid", "--open"]);
    expect([branch, entries.length]).toEqual(["idea", 3]);
    expect(await place.json(["search", "mermaid", "--branch", "active"])).toMatchObject({ hits: [] });
  });

  it.each([
    [["zyzzyva"], /^Nothing found: no message or title has any of these words/],
    [["the", "of"], /^Nothing found: words as common as "the" are not indexed/],
    [["role:user"], /^Nothing found: the query has no word to search for/],
    [["in:title", "lighthouse", "--before", "2025"], /^Nothing found. Try it without --before, in:\./],
    [['"keeper lighthouse"'], /^Nothing found. Try it without the quotes/],
  ])("explains why %j finds nothing, which is not a failure", async (args, reason) => {
    const { code, stdout, stderr } = await place.run(["search", ...args]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(reason);
  });

  it("accepts the filters of a query as options, and refuses other values", async () => {
    const found = async (...options: string[]): Promise<number> =>
      (await place.json(["search", "lighthouse", ...options])).hits.length;
    expect(await found("--after", "2026-01", "--before", "2026-01-06", "--in", "text")).toBe(1);
    expect(await found("--before", "2026-01-05")).toBe(0);
    expect(
      await found("--channel", "Discord", "--key", "discord:dm", "--mode", "keyword", "--role", "USER"),
    ).toBe(1);
    for (const [option, value] of [
      ["role", "robot"],
      ["in", "body"],
      ["mode", "semantic"],
      ["after", "soon"],
      ["limit", "101"],
    ]) {
      const { code, error } = await place.failure(["search", "x", `--${option}`, value ?? ""]);
      expect([code, error.code, error.field]).toEqual([1, "VALIDATION_ERROR", option]);
    }
    expect((await place.failure(["search"])).code).toBe(2);
    const { message } = (await place.failure(["search", "lighthouse", "-storm"])).error;
    expect(message).toMatch(/^Unknown option -s for "search"\. Put the query in quotes\. /);
    expect((await place.failure(["search", "zyzzyva", "--open"])).error.code).toBe("NOT_FOUND");
  });

  it("builds the index again", async () => {
    writeFileSync(index, "not a database");
    const { code, stderr } = await place.run(["search", "--rebuild"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/The search index is complete\.\n$/)]);
    expect((await place.json(["search", "mermaid", "--rebuild"])).hits[0].seq).toBe(6);
  });

  it("stops building at Ctrl-C, and says how to continue", async () => {
    const file = place.path("many.db");
    {
      await using store = await openStore(`sqlite:${file}`, { durability: "process" });
      const content = Array.from({ length: 3000 }, (_, index) => `buoy ${index}`);
      await (await store.create()).append(content.map((text) => ({ role: "user", content: text })));
      await store.search("buoy");
    }
    // It waits for another writer, then for the processor, and so the signal comes before it ends.
    const writer = new DatabaseSync(`${file}-search`);
    writer.exec("BEGIN IMMEDIATE");
    const child = spawn(process.execPath, [BIN, "search", "--rebuild", "--store", file]);
    const ended = Promise.all([text(child.stderr), once(child, "close")]);
    await until(() => isOpenIn(child.pid, `${file}-search`));
    child.kill("SIGSTOP");
    await until(() => readFileSync(`/proc/${child.pid}/stat`, "utf8").includes(") T "));
    writer.close();
    for (const signal of ["SIGINT", "SIGCONT"] as const) child.kill(signal);
    expect(await ended).toEqual(["Stopped early. Run the same command to continue.\n", [1, null]]);
  });

  it("reads a store in a folder that it may not write to, and leaves nothing there", async () => {
    const folder = place.path("sealed");
    {
      await using store = await openStore(`jsonl:${folder}`);
      await (await store.open("a:b")).append({ role: "user", content: "A sealed lighthouse" });
    }
    const before = readdirSync(folder);
    chmodSync(place.folder, 0o755);
    chmodAll(folder);
    const store = ["--store", `jsonl:${folder}`, "--state-dir", place.path("none")];
    const other = { uid: process.getuid?.() === 0 ? 65534 : undefined, env: { HOME: place.folder } };
    const { hits, indexed } = await place.json(["search", "lighthouse", ...store], other);
    expect([hits.length, indexed, readdirSync(folder)]).toEqual([1, true, before]);
    const { error } = await place.failure(["search", "--rebuild", ...store], other);
    expect(error).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    chmodSync(folder, 0o755);
  });

  it("finds nothing in a store that does not exist yet, and refuses a named one", async () => {
    const none = ["search", "lighthouse", "--state-dir", place.path("new")];
    expect(await place.json(none)).toEqual({ hits: [], cursor: null, indexed: true });
    expect(existsSync(place.path("new"))).toBe(false);
    expect((await place.failure(["search", "x", "--store", "sqlite:none.db"])).error.code).toBe("NOT_FOUND");
  });
});

function isOpenIn(pid: number | undefined, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`) === realpathSync(path);
    } catch {
      // It was closed meanwhile.
      return false;
    }
  });
}

/** Readable for everyone, writable for no one. */
function chmodAll(folder: string): void {
  for (const { name, parentPath } of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = `${parentPath}/${name}`;
    chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
  }
  chmodSync(folder, 0o555);
}
