import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonChunks } from "../../src/cli/terminal/json-text.ts";
import { timeAgo } from "../../src/cli/terminal/time-ago.ts";
import { wrapHard } from "../../src/cli/terminal/wrap.ts";
import { openStore } from "../../src/store/open.ts";
import { cut, widthOf } from "../../src/util/text-width.ts";
import { safeLine, safeText } from "../../src/util/visible-text.ts";
import { processorMs } from "../support/processes/processor-time.ts";
import { BIN, Place, type Printed } from "./run-command.ts";

const HOSTILE =
  "a\u001b[2J\u001b]0;owned\u0007b\u001b]52;c;ZXZpbA==\u001b\\c\u0000\u0008\u007f\u009b31m\u009d0;x\u009cd\u202eevil\u2066\r\ne";
/** Everything that a terminal may treat as a command. */
const ORDERS = /[^\n\P{Cc}]|\p{Bidi_Control}/u;

describe("text for a terminal", () => {
  it("loses its control sequences", () => {
    expect(safeLine(HOSTILE)).toBe("abcdevil e");
    expect(safeText(HOSTILE)).toBe("abcdevil\ne");
    expect(safeText("\tx\u2028y\ud800")).toBe("    x\ny\ufffd");
    expect(safeLine("naïve 日本 👨‍👩‍👧 עברית")).toBe("naïve 日本 👨‍👩‍👧 עברית");
  });

  it("takes no longer if it is hostile", async () => {
    for (const part of ["\u001b]", "\u001b[", "\u009d", "\u001bP\u001b", "\u001b[0"]) {
      const text = `${part.repeat(200_000)}${"0".repeat(200_000)}`;
      expect(await processorMs(() => safeText(text))).toBeLessThan(2000);
    }
  });

  it("is escaped in JSON, without loss", () => {
    for (const indent of [0, 2]) {
      const text = [...jsonChunks({ a: [HOSTILE, { b: "x" }], c: [], d: null, e: { f: [1] } }, indent)].join(
        "",
      );
      expect(ORDERS.test(text)).toBe(false);
      expect(JSON.parse(text)).toEqual({ a: [HOSTILE, { b: "x" }], c: [], d: null, e: { f: [1] } });
    }
  });
});

describe("width", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["日本語", 6],
    ["한글", 4],
    ["ｱｲ", 2],
    ["é", 1],
    ["e\u0301", 1],
    ["😀", 2],
    ["👨‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["a\u200bb", 2],
    ["a\u00adb", 2],
    ["naïve – “ok”", 12],
    ["©\ufe0f", 2],
    ["…–·", 3],
  ])("of %j is %i", (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });

  it("is never exceeded by cut text", () => {
    for (const text of ["日本語日本語", "a👨‍👩‍👧b👨‍👩‍👧c", "plain words here", "e\u0301".repeat(500)]) {
      for (let columns = 1; columns < 12; columns++)
        expect(widthOf(cut(text, columns))).toBeLessThanOrEqual(columns);
    }
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("abcd", 4)).toBe("abcd");
  });
});

describe("wrapping", () => {
  it.each([
    ["one two three", 7, ["one two", "three"]],
    ["    code  here", 12, ["    code ", "here"]],
    ["abcdefgh", 3, ["abc", "def", "gh"]],
    ["a 日本語 b", 4, ["a", "日本", "語 b"]],
    ["日本", 1, ["日", "本"]],
    ["", 5, [""]],
    ["as it is ", Number.POSITIVE_INFINITY, ["as it is "]],
  ])("of %j to %i columns", (text, columns, lines) => {
    expect(wrapHard(text, columns)).toEqual(lines);
  });

  it("takes no longer for one long word than for many", async () => {
    for (const word of ["x", "語"].map((letter) => letter.repeat(100_000))) {
      expect(wrapHard(word, 40).join("")).toBe(word);
      expect(await processorMs(() => wrapHard(word, 40))).toBeLessThan(2500);
    }
  });
});

describe("times and suggestions", () => {
  const now = Date.parse("2026-03-10T12:00:00.000Z");
  it.each([
    ["2026-03-10T11:59:30.000Z", "just now"],
    ["2026-03-10T12:00:20.000Z", "just now"],
    ["2026-03-10T11:57:00.000Z", "3 min ago"],
    ["2026-03-10T07:00:00.000Z", "5 h ago"],
    ["2026-03-09T11:00:00.000Z", "yesterday"],
    ["2026-03-01T12:00:00.000Z", "9 days ago"],
    ["2025-03-01T12:00:00.000Z", "2025-03-01"],
    ["2027-03-05T12:00:00.000Z", "2027-03-05"],
    [null, "–"],
  ])("%s is %s", (time, text) => {
    expect(timeAgo(time, now)).toBe(text);
  });
});

describe("output", () => {
  const place = new Place();

  beforeAll(async () => {
    await using store = await openStore(`sqlite:${place.state}/conversations.db`);
    const titles = [
      HOSTILE,
      "会議の議事録とその他の長い長い題名です",
      "A title that is much too long for a narrow terminal",
      "👨‍👩‍👧 family",
    ];
    for (const [index, title] of titles.entries()) {
      const chat = await store.open(`notes:${index}`);
      // The store refuses such a title, but one of an earlier version may hold it.
      await store.ingest().update(chat.id, { title });
      await chat.append({ role: "user", content: `${HOSTILE}\n${"long ".repeat(40)}` });
    }
    await (await store.create({ title: "No key" })).append({ role: "user", content: "Hi" });
    const gone = await store.create();
    await store.ingest().update(gone.id, { title: HOSTILE });
    await store.delete(gone.id);
    const tree = await store.open("notes:tree");
    await store.ingest().update(tree.id, { title: HOSTILE });
    const [said] = (await tree.append({ role: "user", content: HOSTILE })).entries;
    await tree.label(said?.id ?? "", "evil\u202e label");
    // The longest allowed name, and one that would reverse the line.
    await tree.branch(said?.id ?? null, { name: `wide ${"題".repeat(80)}` });
    await tree.branch(said?.id ?? null, { name: "abcd\u202eevil\u2066 e", checkout: true });
    await tree.append({ role: "user", content: `${HOSTILE} ${"long ".repeat(40)}` });
    const long = await store.open("notes:long");
    await long.append(
      Array.from({ length: 3000 }, (_, n) => ({ role: "user" as const, content: `${n} ${"x".repeat(100)}` })),
    );
  });
  afterAll(() => place[Symbol.dispose]());

  it.each([
    [["sessions", "list"]],
    [["sessions", "show", "notes:0"]],
    [["sessions", "history", "notes:0"]],
    [["sessions", "list", "--limit", "7"]],
    [["sessions", "list", "--trash"]],
    [["sessions", "show", "notes:tree"]],
    [["sessions", "show", "notes:tree", "--all"]],
    [["sessions", "branches", "notes:tree"]],
    [["sessions", "compare", "notes:tree", "main", "abcd\u202eevil\u2066 e"]],
    [["sessions", "context", "notes:tree", "--max-tokens", "9000"]],
    [["sessions", "prune", "notes:tree", "--keep", "0", "--dry-run"]],
    [["sessions", "purge", "--trash", "--dry-run"]],
    [["sessions", "retain", "--trash-days", "0", "--max-messages", "1", "--dry-run"]],
    [["sessions", "stats"]],
  ])("of %j has no control sequences", async (args) => {
    const { code, stdout, stderr } = await place.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    if (args[1] !== "prune") expect(stdout).toContain(args[1] === "history" ? "abcdevil\n  e" : "abcdevil e");
    expect(ORDERS.test(stdout)).toBe(false);
    expect(ORDERS.test((await place.run([...args, "--json"])).stdout)).toBe(false);
    // In colour, only those of the colours: bold, dim, four colours, and their ends.
    const coloured = (await place.run([...args, "--color", "always"])).stdout;
    expect(coloured).toContain("\u001b[1m");
    const ours = new RegExp(`${"\u001b"}\\[(?:1|2|3[1236]|22|39)m`, "g");
    expect(ORDERS.test(coloured.replaceAll(ours, ""))).toBe(false);
  });

  it.each([
    ["60", ["sessions", "list"]],
    ["60", ["sessions", "list", "--trash"]],
    ["60", ["sessions", "show", "notes:0"]],
    ["80", ["sessions", "list"]],
    ["40", ["sessions", "list"]],
    ["20", ["sessions", "list"]],
    ["40", ["sessions", "list", "--trash"]],
    ["40", ["sessions", "history", "notes:0"]],
    ["40", ["sessions", "validate"]],
    ["60", ["sessions", "show", "notes:tree"]],
    ["60", ["sessions", "branches", "notes:tree"]],
    ["30", ["sessions", "branches", "notes:tree"]],
    ["60", ["sessions", "prune", "notes:tree", "--keep", "0", "--dry-run"]],
    ["60", ["sessions", "context", "notes:tree", "--max-tokens", "9000"]],
    ["60", ["sessions", "compare", "notes:tree", "main", "abcd\u202eevil\u2066 e"]],
  ])("fits %s columns: %j", async (columns, args) => {
    const { stdout } = await place.run(args, { env: { COLUMNS: columns } });
    const rows = stdout.trimEnd().split("\n");
    // The properties above the entries are not a table: an id must not be cut.
    const table = rows.slice(args[1] === "show" ? rows.indexOf("") + 1 : 0);
    expect(table.length).toBeGreaterThan(1);
    expect(table.filter((row) => widthOf(row) > Number(columns))).toEqual([]);
  });

  it("cuts a long key before it drops a column", async () => {
    using other = new Place();
    await using store = await openStore(`sqlite:${other.state}/conversations.db`);
    const chat = await store.open(`discord:guild:${"0123456789".repeat(6)}`, {
      title: "A title of some length",
    });
    await chat.append(Array.from({ length: 1234 }, () => ({ role: "user" as const, content: "x" })));
    const { stdout } = await other.run(["sessions", "list"], { env: { COLUMNS: "60" } });
    expect(stdout).toMatch(
      /^TITLE +# +CONVERSATION +LAST +MESSAGES\nA title of some… +#1 +discord:…23456789 +just now +1,234$/m,
    );
    expect((await other.run(["sessions", "show", chat.id])).stdout).toMatch(/Messages +1,234\n/);
  });

  it("is not cut in a pipe", async () => {
    const { stdout } = await place.run(["sessions", "list"]);
    expect(stdout).toContain("A title that is much too long for a narrow terminal");
  });

  it("prints a long history in full, and its end", async () => {
    const { messages } = await place.json(["sessions", "history", "notes:long"]);
    expect(messages.map((message: Printed) => Number.parseInt(message.text, 10))).toEqual(
      Array.from({ length: 3000 }, (_, n) => n),
    );
    const { entries } = await place.json(["sessions", "show", "notes:long", "--last", "2500"]);
    expect([entries.length, entries[0].seq, entries.at(-1).seq]).toEqual([2500, 501, 3000]);
  });

  it("ends quietly when the reader stops early", async () => {
    const env = { ...process.env, COLLOQUY_STATE_DIR: place.state };
    const child = spawn(process.execPath, [BIN, "sessions", "history", "notes:long"], { env });
    let stderr = "";
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});
