import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { piHeader, piSays } from "../formats/pi-session.ts";
import { has, lacks } from "../process/child-process.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { TerminalProcess } from "../support/processes/terminal-process.ts";
import { until } from "../support/until.ts";
import { BIN, Place } from "./run-command.ts";

/** Prints how many helper threads a process has at its end. */
const COUNT_THREADS = `import { readdirSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
const nameOf = (id) => readFileSync("/proc/self/task/" + id + "/comm", "utf8");
process.on("exit", () => {
  if (!isMainThread) return;
  const ids = readdirSync("/proc/self/task").filter((id) => nameOf(id).startsWith("libuv-worker"));
  process.stderr.write(String(ids.length));
});`;

let place: Place;
beforeEach(() => {
  place = new Place();
  mkdirSync(place.path("sources"));
  writeFileSync(place.path("sources", "a.jsonl"), piHeader("s1") + piSays("a1", null, "Hello there"));
});
afterEach(() => place[Symbol.dispose]());

describe("import", () => {
  it("reports what it imported, as text and as JSON", async () => {
    const dry = await place.json(["import", "sources", "--dry-run"]);
    expect(dry).toMatchObject({ dryRun: true, conversations: 1, messages: 1 });
    const { code, stdout } = await place.run(["import", "sources"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Imported 1 message in 1 conversation\. 1 file read/);
    expect(stdout).toMatch(/Hello there +pi:s1 +1\n/);
    expect(await place.json(["import", "sources"])).toMatchObject({
      conversations: 0,
      messages: 0,
      branches: 0,
      unchanged: 1,
      skipped: [],
      unknown: {},
      unresolved: 0,
      imported: [],
    });
    expect(await place.json(["sessions", "history", "pi:s1"])).toMatchObject({
      messages: [{ role: "user", text: "Hello there", at: "2026-01-01T10:00:01.000Z", id: "a1" }],
    });
  });

  it("says that a fork was joined to a session that was imported later", async () => {
    const fixture = "test/fixtures/claude-code/2.1.325-forks";
    const add = (name: string): void => cpSync(join(fixture, name), place.path("sources", name));
    add("65d31212-1f61-4adc-bf8d-bbe74025d92e.jsonl");
    await place.run(["import", "sources"]);
    add("d7a667f8-c48e-4891-a872-5f885776cfb7.jsonl");
    const { stdout } = await place.run(["import", "sources"]);
    expect(stdout).toContain("1 fork was joined to a session that was imported later.");
  });

  it.skipIf(lacks(existsSync("/proc/self/task"), "counting threads needs /proc"))(
    "compresses in one thread, unless the user wants more",
    async () => {
      const long = Array.from({ length: 20_000 }, (_, line) => `Line ${line}\n`).join("");
      const says = ["a1", "a2", "a3", "a4"].map((id, at) => piSays(id, at === 0 ? null : `a${at}`, long));
      writeFileSync(place.path("sources", "a.jsonl"), piHeader("s1") + says.join(""));
      const counting = place.path("count-threads.mjs");
      writeFileSync(counting, COUNT_THREADS);
      const threads = async (store: string, wanted?: string): Promise<string> => {
        const env = { NODE_OPTIONS: `--import=${counting}`, ...(wanted && { UV_THREADPOOL_SIZE: wanted }) };
        return (await place.run(["import", "sources", "--store", store], { env })).stderr;
      };
      expect(await threads(`sqlite:${place.path("a.db")}`)).toBe("1");
      expect(await threads(`sqlite:${place.path("b.db")}`, "3")).toBe("3");
      expect(await threads(`jsonl:${place.path("c")}`)).toBe("4");
    },
  );

  it("lists titles and keys, also in a dry run", async () => {
    const source = join(import.meta.dirname, "../fixtures/chatgpt/conversations-with-branches.json");
    for (const flags of [["--dry-run"], []]) {
      const { stdout } = await place.run(["import", source, ...flags]);
      expect(stdout).toMatch(/^ {2}TITLE +CONVERSATION +MESSAGES +NOTES\n/m);
      expect(stdout).toMatch(/^ {2}A garden plan +chatgpt:c-garden +\d+ +\d branches/m);
    }
  });

  it("names the flags of all conversations, also of those that it does not list", async () => {
    const line = (n: number, more: object): string =>
      JSON.stringify({ messages: [{ role: "user", content: `Question ${n}` }], ...more });
    const lines = Array.from({ length: 12 }, (_, n) => line(n, {}));
    writeFileSync(place.path("sources", "a.jsonl"), lines.join("\n"));
    const orphan = piSays("b1", "never-written", "Orphan");
    writeFileSync(place.path("sources", "b.jsonl"), piHeader("s2") + orphan);
    const { stdout } = await place.run(["import", "sources"]);
    expect(stdout).not.toContain("pi:s2");
    expect(stdout).toMatch(/^Flagged: 1\n {2}missing-parent: 1 conversation$/m);
  });

  it("exits with 3 if it skipped something, and says where", async () => {
    appendFileSync(place.path("sources", "a.jsonl"), "{torn\n");
    const { code, stdout } = await place.run(["import", "sources"]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/Skipped: 1\n {2}.*a\.jsonl:3: /);
  });

  it("says that a file with an incomplete end may not be complete yet", async () => {
    appendFileSync(place.path("sources", "a.jsonl"), '{"type":"mess');
    const { stdout } = await place.run(["import", "sources"]);
    expect(stdout).toContain(
      "1 file may not be complete yet. The next import, or --watch, takes in the rest.\n",
    );
  });

  it("verifies what was imported, and lists what is missing", async () => {
    await place.run(["import", "sources"]);
    expect(await place.json(["import", "sources", "--verify"])).toMatchObject({ missingCount: 0 });
    appendFileSync(place.path("sources", "a.jsonl"), piSays("a2", "a1", "Not yet"));
    const { code, stdout } = await place.run(["import", "sources", "--verify"]);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /Missing from the store: 2\n {2}.*a\.jsonl, byte 228: 130 bytes of the original .*\n {2}.*a\.jsonl:3: entry a2 /,
    );
  });

  it("forgets a source only with --forget", async () => {
    await place.run(["import", "sources"]);
    rmSync(place.path("sources", "a.jsonl"));
    await place.run(["import", "sources"]);
    expect((await place.json(["sessions", "list"])).items).toHaveLength(1);
    writeFileSync(place.path("sources", "a.jsonl"), piHeader("s1") + piSays("a1", null, "Hello there"));
    expect(await place.json(["import", "sources", "--forget"])).toMatchObject({ files: 1 });
    expect((await place.json(["sessions", "list"])).items).toEqual([]);
    appendFileSync(place.path("sources", "a.jsonl"), piSays("a2", "a1", "More"));
    writeFileSync(place.path("sources", "later.jsonl"), piHeader("s9") + piSays("n1", null, "New there"));
    expect(await place.json(["import", "sources"])).toMatchObject({ messages: 0, forgotten: 2 });
    expect(await place.json(["import", "sources", "--again"])).toMatchObject({ messages: 2 });
    expect((await place.json(["sessions", "list"])).items).toHaveLength(2);
  });

  it("forgets a source that its tool has deleted, and none that it does not know", async () => {
    const mistyped = ["import", "sorces", "--forget"];
    expect((await place.failure(mistyped)).error.code).toBe("NOT_FOUND");
    await place.run(["import", "sources"]);
    rmSync(place.path("sources"), { recursive: true });
    expect((await place.failure(mistyped)).error.message).toMatch(
      /sorces, and nothing was imported from there$/,
    );
    expect(await place.json(["import", "sources", "--forget"])).toMatchObject({
      files: 1,
      conversations: [expect.any(String)],
    });
    mkdirSync(place.path("sources"));
    writeFileSync(place.path("sources", "b.jsonl"), piHeader("s7") + piSays("z1", null, "Once more"));
    expect(await place.json(["import", "sources"])).toMatchObject({ messages: 0, forgotten: 1 });
  });

  it("says of a dry run with --again what that would do, and changes nothing", async () => {
    await place.run(["import", "sources"]);
    await place.run(["sessions", "delete", "pi:s1"]);
    const dry = ["import", "sources", "--dry-run"];
    const { stdout: without } = await place.run(dry);
    expect(without).toContain(
      "1 trashed conversation would be left unchanged.\nUse --again to bring it back.",
    );
    const { stdout } = await place.run([...dry, "--again"]);
    expect(stdout).toContain("No new messages.");
    expect(stdout).toContain("1 conversation would be moved back from the trash.");
    expect(stdout).not.toContain("--again");
    expect((await place.json(["sessions", "list"])).items).toEqual([]);
  });

  it("says what --again moved back from the trash", async () => {
    await place.run(["import", "sources"]);
    await place.run(["import", "sources", "--forget"]);
    const { stdout } = await place.run(["import", "sources", "--again"]);
    expect(stdout).toMatch(/^No new messages\. 1 file read/);
    expect(stdout).toContain("1 conversation was moved back from the trash.");
    expect((await place.run(["import", "sources", "--again"])).stdout).toMatch(/^Nothing new\. [^\n]+\n$/);
  });

  it.skipIf(lacks(process.platform !== "win32" && has("script"), "a terminal is made by script"))(
    "says on a terminal what it is doing",
    async () => {
      const started = async (...words: string[]): Promise<string> => {
        const command = [process.execPath, BIN, ...words, "--state-dir", place.state];
        await using terminal = new TerminalProcess(command, { columns: 100 });
        expect(await terminal.ended()).toBe(0);
        return terminal.output;
      };
      const sources = place.path("sources");
      expect(await started("import", sources, "--dry-run")).toContain("Reading ░");
      expect(await started("import", sources)).toContain("Importing ░");
      expect(await started("import", sources, "--verify")).toContain("Verifying ░");
      expect(await started("sessions", "validate")).toContain("Reading the store …");
    },
  );

  it("searches the usual places, and requires --yes without a terminal", async () => {
    const env = { HOME: place.path("home") };
    mkdirSync(place.path("home", ".pi", "agent", "sessions"), { recursive: true });
    writeFileSync(
      place.path("home/.pi/agent/sessions/x.jsonl"),
      piHeader("s2") + piSays("b1", null, "From home"),
    );
    const { code, stderr } = await place.run(["import"], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/1 {2}pi: .*sessions\n/);
    expect(await place.json(["import", "--dry-run"], { env })).toMatchObject({ messages: 1 });
    expect(await place.json(["import", "--yes"], { env })).toMatchObject({ messages: 1 });
  });

  it("refuses options that exclude each other, and unknown formats", async () => {
    expect((await place.run(["import", "sources", "--watch", "--verify"])).code).toBe(2);
    expect((await place.run(["import", "--forget"])).code).toBe(2);
    const { code, stderr } = await place.run(["import", "sources", "--from", "telegraph"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Unknown format "telegraph": expected one of .*claude-code/);
  });

  it("reports a path that does not exist", async () => {
    const { code, stderr } = await place.run(["import", "nowhere"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/No file or folder at .*nowhere/);
    expect(existsSync(place.state)).toBe(false);
  });
});

/** The command with `--watch`, and the reports that it prints. */
class Watcher {
  readonly #child = new LineProcess(BIN, ["import", "sources", "--watch", "--json"], {
    cwd: place.folder,
    env: { ...process.env, COLLOQUY_STATE_DIR: place.state },
  });

  /** Waits until it has reported this many messages. */
  async until(messages: number): Promise<void> {
    const printed = (): string => this.#child.lines.join("\n");
    const reported = (): number =>
      [...printed().matchAll(/"messages":(\d+),"branches":\d+,"files"/g)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    await until(() => reported() >= messages, printed);
  }

  async end(signal: "SIGINT" | "SIGKILL"): Promise<number | null> {
    this.#child.signal(signal);
    return (await this.#child.closed).code;
  }
}

describe("import --watch", () => {
  it("imports what is written while it runs, and continues after a kill", async () => {
    const first = new Watcher();
    await first.until(1);
    writeFileSync(place.path("sources", "b.jsonl"), piHeader("s2") + piSays("b1", null, "New file"));
    await first.until(2);
    await first.end("SIGKILL");
    appendFileSync(place.path("sources", "a.jsonl"), piSays("a2", "a1", "While nobody watched"));
    rmSync(place.path("sources", "b.jsonl"));
    const second = new Watcher();
    await second.until(1);
    expect(await second.end("SIGINT")).toBe(0);
    const { items } = await place.json(["sessions", "list"]);
    expect(
      items.map(({ key, messageCount }: { key: string; messageCount: number }) => [key, messageCount]).sort(),
    ).toEqual([
      ["pi:s1", 2],
      ["pi:s2", 1],
    ]);
  });
});
