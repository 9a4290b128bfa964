import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS, GLOBAL_OPTIONS } from "../../src/cli/command-table.ts";
import { helpOn } from "../../src/cli/help.ts";
import type { Output } from "../../src/cli/output.ts";
import { openStore } from "../../src/store/open.ts";
import { INFO_MEMBERS, Place } from "./run-command.ts";

const HELLO = ["--role", "user", "--content", "Hello"];

describe("the first screen", () => {
  it("shows a new user what to do, and creates nothing", async () => {
    using place = new Place();
    const { code, stdout } = await place.run([]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      `the first message or import creates it:\n  ${join(place.state, "conversations.db")}\n`,
    );
    expect(stdout).toContain("\n  colloquy sessions append");
    expect(existsSync(place.state)).toBe(false);
  });

  it("shows what can be typed in a checkout, which runs its sources", async () => {
    using place = new Place();
    const { stdout } = await place.run([], { bin: resolve("bin", "colloquy.js") });
    expect(stdout).toContain("\n  npm run -s colloquy -- sessions append");
  });

  it("shows the latest conversations", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", ...HELLO]);
    const { stdout } = await place.run([]);
    expect(stdout).toContain(`1 conversation in ${join(place.state, "conversations.db")}`);
    expect(stdout).toMatch(/Hello +#1 +notes:a +just now +1/);
    for (const next of ["sessions history", "sessions branch", "backup PATH", "--help"])
      expect(stdout).toContain(`colloquy ${next}`);
    const { store, conversations, items } = await place.json([]);
    expect(store).toEqual({ engine: "sqlite", path: join(place.state, "conversations.db"), exists: true });
    expect(conversations).toBe(1);
    expect(Object.keys(items[0])).toEqual(INFO_MEMBERS);
  });
});

describe("a hint", () => {
  it("mentions the trash of the named store", async () => {
    using place = new Place();
    const store = ["--store", "sqlite:my agent.db"];
    await place.json(["sessions", "append", "notes:a", ...HELLO, ...store]);
    const { stdout, stderr } = await place.run(["sessions", "delete", "notes:a", ...store]);
    expect(stdout).toBe("notes:a moved to the trash\n");
    expect(stderr).toMatch(/restore [0-9a-f-]{36} --store 'sqlite:my agent.db'\n$/);
    const screen = (await place.run(store)).stdout;
    expect(screen).toContain(`No conversations in ${place.path("my agent.db")}\n`);
    expect(screen).toContain(
      `\n1 conversation in the trash: colloquy sessions list --trash --store 'sqlite:my agent.db'\n`,
    );
  });

  it("repeats the state folder", async () => {
    using place = new Place();
    const { stdout } = await place.run(["--state-dir", "other"]);
    expect(stdout).toContain("sessions history notes:first --state-dir other\n");
  });
});

describe("the store of a command", () => {
  it("counts as empty while the default one is missing", async () => {
    using place = new Place();
    expect(await place.json(["sessions", "list"])).toEqual({ items: [], cursor: null });
    expect(await place.json(["sessions", "stats"])).toMatchObject({
      conversations: 0,
      engine: "sqlite",
      top: [],
    });
    expect(await place.json(["sessions", "validate"])).toEqual({ ok: true, conversations: 0, findings: [] });
    expect((await place.failure(["sessions", "show", "a:b"])).error.code).toBe("NOT_FOUND");
    expect((await place.failure(["sessions", "delete", "a:b"])).error.code).toBe("NOT_FOUND");
    expect(existsSync(place.state)).toBe(false);
  });

  it("comes from --store, then COLLOQUY_STORE, then the state folder", async () => {
    using place = new Place();
    const env = { COLLOQUY_STORE: "sqlite:from-env.db" };
    await place.json(["sessions", "append", "a:b", ...HELLO], { env });
    await place.json(["sessions", "append", "a:b", ...HELLO, "--store", "named.sqlite"], { env });
    await place.json(["sessions", "append", "a:b", ...HELLO, "--state-dir", "other"]);
    await place.json(["sessions", "append", "a:b", ...HELLO]);
    const made = ["from-env.db", "named.sqlite", "other/conversations.db", "state/conversations.db"];
    expect(made.filter((file) => !existsSync(place.path(file)))).toEqual([]);
    expect((await place.json(["sessions", "list"], { env })).items[0].messageCount).toBe(1);
    expect(
      (await place.failure(["sessions", "list"], { env: { COLLOQUY_STORE: "sqlite:no.db" } })).error.code,
    ).toBe("NOT_FOUND");
  });

  it("may be the bare path of a Colloquy folder, or a path below ~", async () => {
    using place = new Place();
    await using store = await openStore(`jsonl:${place.path("chats")}`);
    await store.open("a:b");
    expect((await place.json(["sessions", "list", "--store", "chats"])).items[0].key).toBe("a:b");
    const { error } = await place.failure(["sessions", "list", "--store", "sqlite:~/none.db"]);
    expect(error.message).toContain(join(process.env.HOME ?? "", "none.db"));
  });
});

describe("help", () => {
  it("fits one screen and names every command", async () => {
    using place = new Place();
    const { code, stdout } = await place.run(["--help"]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    // Commands of one topic share a line and its first word.
    for (const { name, topic } of COMMANDS) {
      const [first = "", second = first] = name.split(" ");
      const last = topic.families === true ? first : second;
      expect(lines.filter((line) => line.includes(first) && line.includes(last))).not.toEqual([]);
    }
    expect((await place.run(["help"])).stdout).toBe(stdout);
    expect((await place.run(["-h"])).stdout).toBe(stdout);
  });

  it.each(COMMANDS.filter(({ name }) => name !== ""))(
    "explains $name",
    async ({ name, summary, options, examples }) => {
      using place = new Place();
      const { code, stdout } = await place.run([...name.split(" "), "--help"]);
      expect(code).toBe(0);
      expect(examples.length).toBeGreaterThan(0);
      const whole = stdout.replaceAll(/ \\\n +/g, " ");
      for (const part of [summary, `colloquy ${name}`, ...examples]) expect(whole).toContain(part);
      for (const option of Object.keys({ ...options, ...GLOBAL_OPTIONS }))
        expect(stdout).toContain(`--${option}`);
      expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
      expect((await place.run(["help", ...name.split(" ")])).stdout).toBe(stdout);
    },
  );

  it.each(["60", "40"])("fits %s columns without breaking a word", async (columns) => {
    using place = new Place();
    for (const args of [["--help"], ["sessions", "--help"], ["sessions", "append", "--help"]]) {
      const { stdout } = await place.run(args, { env: { COLUMNS: columns } });
      expect(stdout.split("\n").filter((line) => line.length > Number(columns))).toEqual([]);
      expect(stdout).not.toMatch(/ $/m);
      expect(stdout).toContain("conversation");
    }
  });

  it("fits 40 columns for every command", () => {
    for (const command of COMMANDS.filter(({ name }) => name !== "")) {
      const lines: string[] = [];
      const out: Output = {
        columns: 40,
        lines: (printed) => lines.push(...printed),
        page: async () => {},
        json: () => {},
        note: () => {},
        style: (_, text) => text,
      };
      lines.push(...(helpOn([command], out).lines ?? []));
      expect(lines.filter((line) => line.length > 40 || line.endsWith(" "))).toEqual([]);
    }
  });

  it("says that retain removes whole conversations, and which one a key means", async () => {
    using place = new Place();
    const retain = (await place.run(["sessions", "retain", "--help"])).stdout.replaceAll("\n", " ");
    expect(retain).toMatch(/Whole conversations go to the trash, .* never the newest of a channel/);
    for (const command of ["restore", "purge"]) {
      const help = (await place.run(["sessions", command, "--help"])).stdout.replaceAll("\n", " ");
      expect(help).toMatch(
        /A KEY means the most recently deleted conversation that had it.* sessions \w+ \[?ID\|KEY/,
      );
    }
  });

  it("explains a group, and answers programs", async () => {
    using place = new Place();
    const group = (await place.run(["sessions", "--help"])).stdout;
    expect(group).toContain("sessions history ID|KEY");
    for (const { name } of COMMANDS.filter(({ name }) => name.startsWith("sessions ")))
      expect(group).toContain(`  ${name} `);
    expect(group.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const { commands } = await place.json(["help", "sessions", "list"]);
    expect(commands).toMatchObject([{ name: "sessions list", usage: "colloquy sessions list" }]);
  });

  it("prints the version", async () => {
    using place = new Place();
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect((await place.run(["--version"])).stdout).toBe(`${version}\n`);
    expect(await place.json(["--version"])).toEqual({ version });
  });
});

describe("the reference page", () => {
  const page = readFileSync("docs/reference/cli.md", "utf8");

  it.each(COMMANDS)('describes "$name" with all its options', ({ name, options = {} }) => {
    const heading = name === "" ? "## `colloquy`" : `## \`colloquy ${name}`;
    const section = page.split(/^(?=## )/m).find((part) => part.startsWith(heading));
    expect(section).toBeDefined();
    for (const option of Object.keys(options)) expect(section).toContain(`--${option}`);
  });

  it("describes the global options, the variables and the exit codes", () => {
    for (const option of Object.keys(GLOBAL_OPTIONS)) expect(page).toContain(`--${option}`);
    for (const word of ["COLLOQUY_STORE", "COLLOQUY_STATE_DIR", "NO_COLOR", "COLUMNS"])
      expect(page).toContain(word);
    for (const code of [0, 1, 2, 3]) expect(page).toMatch(new RegExp(`^\\| ${code} \\|`, "m"));
  });
});

describe("help", () => {
  it("is found where people look for it, and marks what is required", async () => {
    using place = new Place();
    const group = await place.run(["sessions", "--help"]);
    expect(await place.run(["sessions", "help"])).toEqual(group);
    expect(await place.run(["help", "sessions"])).toEqual(group);
    const append = await place.run(["sessions", "append", "--help"]);
    expect(await place.run(["sessions", "help", "append"])).toEqual(append);
    expect(append.stdout).toMatch(/sessions append KEY\|ID \(--role ROLE --content TEXT \| --jsonl -\)/);
    for (const [command, required] of [
      ["context", "--max-tokens N"],
      ["migrate", "--to TARGET"],
    ] as const) {
      const { commands } = await place.json(["help", "sessions", command]);
      expect(commands[0].usage).toContain(` ${required}`);
    }
    const text = await place.failure(["sessions", "append", "notes:a", "Hello there"]);
    expect(text).toMatchObject({
      code: 2,
      error: { message: expect.stringMatching(/Pass the text with --content, in quotes$/) },
    });
  });
});
