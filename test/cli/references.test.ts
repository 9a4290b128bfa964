import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { Place, type Printed } from "./run-command.ts";

const ID = "0198c0de-1111-7222-8333-444455556666";

describe("a conversation", () => {
  const place = new Place();

  beforeAll(async () => {
    let ms = Date.now() - 1000;
    // The order of a listing is that of these times.
    await using store = await openStore(`sqlite:${place.state}/conversations.db`, { clock: () => ms++ });
    const say = async (key: string, title: string | undefined, text: string): Promise<void> => {
      const chat = await store.open(key, title === undefined ? {} : { title });
      await chat.append({ role: "user", content: text });
    };
    await say("discord:dm:42", "Plans", "One");
    await say("discord:dm:421", "Shopping list", "Two");
    await say("web:7f", undefined, "What did we decide about the long summer?");
    await say("notes:twin-1", "Twins", "Four");
    await say("notes:twin-2", "Twins", "Five");
    const named = await store.create({ id: ID, title: "Re: the plan" });
    await named.append({ role: "user", content: "Six" });
  });
  afterAll(() => place[Symbol.dispose]());

  const keyOf = async (reference: string): Promise<string> => {
    const { info } = await place.json(["sessions", "history", reference]);
    return info.key ?? info.id;
  };

  it.each([
    ["its key", "discord:dm:42", "discord:dm:42"],
    ["the key after the channel, although another one starts with it", "dm:42", "discord:dm:42"],
    ["the start of the key after the channel", "dm:421", "discord:dm:421"],
    ["the start of its id", "0198C0DE", ID],
    ["its title", "Shopping list", "discord:dm:421"],
    ["its title in another case", "shopping LIST", "discord:dm:421"],
    ["a title with a colon", "Re: the plan", ID],
    ["its first words, if it has no title", "What did we decide about the long summer?", "web:7f"],
    ["its first words, cut as in a list", "What did we decide…", "web:7f"],
    ["its id, cut as in a list", "0198c0de…6666", ID],
    ["its key, cut as in a list", "discord…421", "discord:dm:421"],
  ])("is found by %s", async (_, reference, key) => {
    expect(await keyOf(reference)).toBe(key);
  });

  it.each([
    ["dm", /^"dm" matches 2 conversations: discord:dm:421 \("Shopping list"\), discord:dm:42 \("Plans"\)$/],
    ["Twins", /^"Twins" matches 2 conversations: notes:twin-2 \("Twins"\), notes:twin-1 \("Twins"\)$/],
  ])("is not guessed from %j", async (reference, message) => {
    const { stderr } = await place.run(["sessions", "show", reference], { env: { COLUMNS: "80" } });
    const [heading, titles, ...rows] = stderr.trimEnd().split("\n");
    expect([heading, titles]).toEqual([
      `Error: "${reference}" matches 2 conversations:`,
      expect.stringMatching(/^TITLE +# +CONVERSATION +LAST/),
    ]);
    expect(rows).toEqual([
      expect.stringMatching(/^(Shopping list|Twins) +#1 +\S+ +just now /),
      expect.stringMatching(/^(Plans|Twins) +#2 +\S+ +just now /),
    ]);
    // The rows are a list.
    expect(await keyOf("#2")).toBe(reference === "dm" ? "discord:dm:42" : "notes:twin-1");
    for (const command of ["show", "delete", "title", "purge"]) {
      const title = command === "title" ? ["x"] : [];
      const { code, error } = await place.failure(["sessions", command, reference, ...title]);
      expect({ code, error }).toMatchObject({ code: 1, error: { code: "VALIDATION_ERROR", field: "id" } });
      expect(error.message).toMatch(message);
    }
  });

  it("is never the start of a whole key, and append creates a new one", async () => {
    expect((await place.failure(["sessions", "show", "discord:dm:4"])).error.code).toBe("NOT_FOUND");
    const hello = ["--role", "user", "--content", "Hello"];
    await place.json(["sessions", "append", "dm:421", ...hello]);
    expect(await keyOf("dm:421")).toBe("dm:421");
    await place.json(["sessions", "purge", "dm:421", "--force"]);
    const { stdout } = await place.run(["sessions", "append", "Shopping list", ...hello]);
    expect(stdout).toMatch(/^Appended 1 message to discord:dm:421; /);
    const { error } = await place.failure(["sessions", "append", "nothing", ...hello]);
    expect(error.code).toBe("NOT_FOUND");
  });

  it("is found by its row in the last list, until the next list", async () => {
    const { items } = await place.json(["sessions", "list"]);
    await place.run(["sessions", "list"]);
    for (const [index, { id }] of items.entries()) {
      const { info } = await place.json(["sessions", "show", `#${index + 1}`]);
      expect(info.id).toBe(id);
    }
    // Programs do not change what a person sees.
    await place.json(["sessions", "list", "--channel", "web"]);
    expect((await place.json(["sessions", "show", "#1"])).info.id).toBe(items[0].id);
    await place.run(["sessions", "list", "--channel", "web"]);
    expect(await keyOf("#1")).toBe("web:7f");
    expect((await place.failure(["sessions", "show", "#2"])).error).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringMatching(/^The last list has no row 2\. List again: .* sessions list$/),
    });
    await place.run(["sessions", "list", "--title", "nothing like it"]);
    expect((await place.failure(["sessions", "show", "#1"])).error.message).toMatch(
      /^The last list has no row 1/,
    );
    await place.run(["sessions", "list", "--title", "7f"]);
    const other = ["--store", `sqlite:${place.path("other.db")}`];
    await place.json(["sessions", "append", "a:b", "--role", "user", "--content", "x", ...other]);
    expect((await place.failure(["sessions", "show", "#1", ...other])).error.message).toMatch(
      /^#1 refers to the last list, which was of sqlite:.*conversations\.db\. List again: .* --store /,
    );
    const folder = join(place.state, "last-lists");
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("is found by its row of the list of the same terminal", async () => {
    const [mine, other] = [{ TERM_SESSION_ID: "mine" }, { TERM_SESSION_ID: "other" }];
    await place.run(["sessions", "list", "--channel", "web"], { env: mine });
    await place.run(["sessions", "list", "--channel", "notes"], { env: other });
    const rowOf = async (env: Record<string, string>): Promise<Printed> =>
      (await place.json(["sessions", "show", "#1"], { env })).info.key;
    expect([await rowOf(mine), await rowOf(other)]).toEqual(["web:7f", "notes:twin-2"]);
    // A terminal without a list: the last one of all.
    expect(await rowOf({ TERM_SESSION_ID: "third" })).toBe("notes:twin-2");
  });

  it("is not found by a row of a damaged file, which the next list replaces", async () => {
    const folder = join(place.state, "last-lists");
    for (const text of ["", "{", '{"ids":3}', "null"]) {
      for (const name of readdirSync(folder)) writeFileSync(join(folder, name), text);
      expect((await place.failure(["sessions", "show", "#1"])).error.message).toMatch(/List first/);
    }
    await place.run(["sessions", "list"]);
    expect((await place.json(["sessions", "show", "#1"])).info.key).toBeDefined();
  });

  it("is restored and purged from the trash by row, title and id", async () => {
    await place.json(["sessions", "delete", "Re: the plan"]);
    expect((await place.failure(["sessions", "show", "0198c0"])).error.message).toMatch(
      /^0198c0 is in the trash\. To restore it: .* sessions restore 0198c0de-/,
    );
    await place.run(["sessions", "list", "--trash"]);
    for (const reference of ["#1", "Re: the plan", "0198c0"]) {
      expect((await place.json(["sessions", "restore", reference])).info.id).toBe(ID);
      await place.json(["sessions", "delete", reference]);
    }
    expect((await place.json(["sessions", "purge", "re: the plan"])).removed).toMatchObject([{ id: ID }]);
  });
});

describe("a list", () => {
  it("shows titles or first words, and only what matches the filters", async () => {
    using place = new Place();
    {
      await using store = await openStore(`sqlite:${place.state}/conversations.db`);
      const at = (day: string): string => `2026-01-${day}T12:00:00.000Z`;
      const rows = [
        ["discord:dm:1", { title: "Plans for March", model: "m-1" }, "01"],
        ["discord:dm:2", { model: "m-2" }, "02"],
        ["web:3", { title: "Other plans", model: "m-1" }, "03"],
      ] as const;
      for (const [key, init, day] of rows) {
        const chat = await store.open(key, init);
        await chat.append({ role: "user", content: `Said on day ${day}`, at: at(day) });
      }
    }
    const keys = async (...filter: string[]): Promise<string[]> => {
      const { items } = await place.json(["sessions", "list", ...filter]);
      return items.map(({ key }: Printed) => key);
    };
    expect(await keys("--channel", "discord")).toEqual(["discord:dm:2", "discord:dm:1"]);
    expect(await keys("--channel", "Discord")).toEqual(["discord:dm:2", "discord:dm:1"]);
    expect(await keys("--title", "PLANS")).toEqual(["web:3", "discord:dm:1"]);
    expect(await keys("--model", "m-2")).toEqual(["discord:dm:2"]);
    expect(await keys("--after", "2026-01-02T12:00:00Z")).toEqual(["web:3", "discord:dm:2"]);
    expect(await keys("--before", "2026-01-02")).toEqual(["discord:dm:1"]);
    expect(await keys("--channel", "discord", "--title", "plans", "--model", "m-1")).toEqual([
      "discord:dm:1",
    ]);
    expect((await place.run(["sessions", "list", "--channel", "mail"])).stderr).toBe(
      "No conversation matches.\n",
    );
    const { stdout } = await place.run(["sessions", "list", "--channel", "discord"]);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ["TITLE", "#", "CONVERSATION"],
      ["Said on day 02", "#1", "discord:dm:2"],
      ["Plans for March", "#2", "discord:dm:1"],
      [""],
    ]);
  });

  it("shows the title first, or the first words without control sequences, in every table", async () => {
    using place = new Place();
    {
      await using store = await openStore(`sqlite:${place.state}/conversations.db`);
      const words = "\u001b[31mRed\u001b[0m \u001b]0;window\u0007words";
      for (const key of ["web:1", "web:2"])
        await (await store.open(key)).append({ role: "user", content: words });
      await store.delete("web:2");
    }
    for (const [args, columns] of [
      [["list"], "CONVERSATION"],
      [["list", "--trash"], "ID"],
      [["stats"], "CONVERSATION"],
    ] as const) {
      const { stdout } = await place.run(["sessions", ...args]);
      expect(stdout).toMatch(new RegExp(`^TITLE .*${columns}.*\\n(.*\\n)*Red words +.*web:[12]`, "m"));
    }
    expect((await place.run([])).stdout).toMatch(/^Red words +#1 +web:1/m);
  });

  it("tells two long keys apart at 80 columns and below", async () => {
    using place = new Place();
    const [start, end] = [`discord:guild:${"0".repeat(40)}`, "9".repeat(40)];
    {
      await using store = await openStore(`sqlite:${place.state}/conversations.db`);
      for (const middle of ["a", "b", "語"]) {
        const chat = await store.open(`${start}${middle}${end}`, {
          title: "Same title of some length for all",
        });
        await chat.append({ role: "user", content: "x", at: "2026-01-01T00:00:00Z" });
      }
    }
    for (const args of [["sessions", "list"], []]) {
      for (const columns of ["80", "60", "40"]) {
        const { stdout } = await place.run(args, { env: { COLUMNS: columns } });
        const rows = stdout.split("\n").filter((line) => line.startsWith("Same"));
        const names = rows.map((row) => /#\d +(\S+)/.exec(row)?.[1]);
        expect(new Set(names).size).toBe(3);
        expect(names.every((name) => name?.includes("…"))).toBe(true);
      }
    }
  });
});
