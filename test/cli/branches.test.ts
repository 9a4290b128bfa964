import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { INFO_MEMBERS, Place, type Printed } from "./run-command.ts";

const BRANCH_MEMBERS = ["name", "head", "forkedFrom", "parent", "depth", "entryCount", "active"];

for (const engine of ["sqlite", "jsonl"] as const) {
  describe(`branches on ${engine}`, () => {
    const place = new Place();
    const target = `${engine}:${place.path(engine === "sqlite" ? "agent.db" : "chats")}`;
    const sessions = (...args: string[]): string[] => ["sessions", ...args, "--store", target];
    const texts = async (...args: string[]): Promise<string[]> =>
      (await place.json(sessions("history", "notes:a", ...args))).messages.map((one: Printed) => one.text);

    beforeAll(async () => {
      await using store = await openStore(target);
      const chat = await store.open("notes:a");
      for (const [index, content] of ["One", "Two", "Three"].entries()) {
        await chat.append({ role: index % 2 === 0 ? "user" : "assistant", content, id: `e${index + 1}` });
      }
    });
    afterAll(() => place[Symbol.dispose]());

    it("start at the head, at an entry by id or number, and at the start", async () => {
      const made = await place.json(sessions("branch", "notes:a"));
      expect(Object.keys(made)).toEqual(["info", "branch", "warnings"]);
      expect(Object.keys(made.info)).toEqual(INFO_MEMBERS);
      expect(made.info.branchCount).toBe(2);
      expect(made.branch).toEqual({
        name: "branch-1",
        head: "e3",
        forkedFrom: "e3",
        parent: "main",
        depth: 2,
        entryCount: 0,
        active: false,
      });
      expect(Object.keys(made.branch)).toEqual(BRANCH_MEMBERS);
      expect(made.warnings).toEqual([]);
      const byId = await place.json(sessions("branch", "notes:a", "--from", "e2", "--name", "idea"));
      expect(byId.branch).toMatchObject({ name: "idea", forkedFrom: "e2", active: false });
      const byNumber = await place.json(
        sessions("branch", "notes:a", "--from", "1", "--name", "early", "--checkout"),
      );
      expect(byNumber.branch).toMatchObject({ forkedFrom: "e1", active: true });
      const anew = await place.json(sessions("branch", "notes:a", "--from-start", "--name", "anew"));
      expect(anew.branch).toMatchObject({ forkedFrom: null, head: null, parent: "main", depth: 2 });
    });

    it("are checked out for every later command", async () => {
      expect(await texts()).toEqual(["One"]);
      const { stdout } = await place.run(sessions("checkout", "notes:a", "idea"));
      expect(stdout).toBe("notes:a is now on idea, with 0 entries of its own\n");
      const again = await place.json(sessions("checkout", "notes:a", "idea"));
      expect(Object.keys(again)).toEqual(["info"]);
      expect(Object.keys(again.info)).toEqual(INFO_MEMBERS);
      await place.json(sessions("append", "notes:a", "--role", "user", "--content", "Another", "--id", "i1"));
      expect(await texts()).toEqual(["One", "Two", "Another"]);
    });

    it("are read and written by name without being checked out", async () => {
      const append = sessions(
        "append",
        "notes:a",
        "--role",
        "user",
        "--content",
        "Early",
        "--branch",
        "early",
      );
      expect((await place.run([...append, "--id", "x1"])).stdout).toBe(
        "Appended 1 message to notes:a on early; its head is x1\n",
      );
      expect((await place.run([...append, "--id", "x1"])).stdout).toBe(
        "Already appended: 1 message in notes:a on early; nothing written\n",
      );
      expect(await texts("--branch", "early")).toEqual(["One", "Early"]);
      expect(await texts("--branch", "main", "--last", "2")).toEqual(["Two", "Three"]);
      const shown = await place.json(sessions("show", "notes:a", "--branch", "early"));
      expect(Object.keys(shown)).toEqual(["info", "branch", "entries", "turn"]);
      expect([shown.branch, shown.info.head]).toEqual(["early", "i1"]);
      expect(shown.entries.map((entry: Printed) => entry.id)).toEqual(["e1", "x1"]);
      expect((await place.json(sessions("show", "notes:a"))).branch).toBe("idea");
      const all = await place.json(sessions("show", "notes:a", "--all"));
      const messages = all.entries.filter((entry: Printed) => entry.kind === "message");
      expect(messages.map((entry: Printed) => entry.id)).toEqual(["e1", "e2", "e3", "i1", "x1"]);
      expect(all.entries.map((entry: Printed) => entry.seq)).toEqual(
        all.entries.map((_: Printed, index: number) => index + 1),
      );
    });

    it("are drawn as a tree", async () => {
      const { branches, warnings } = await place.json(sessions("branches", "notes:a"));
      expect(warnings).toEqual([]);
      expect(branches.map((branch: Printed) => Object.keys(branch))).toEqual(
        branches.map(() => BRANCH_MEMBERS),
      );
      expect(branches.map((one: Printed) => [one.name, one.parent, one.entryCount, one.active])).toEqual([
        ["main", null, 3, false],
        ["branch-1", "main", 0, false],
        ["idea", "main", 1, true],
        ["early", "main", 1, false],
        ["anew", "main", 0, false],
      ]);
      await place.json(sessions("branch", "notes:a", "--name", "deeper"));
      const { stdout, stderr } = await place.run(sessions("branches", "notes:a"));
      expect(stderr).toBe("");
      expect(stdout).toBe(
        [
          "  BRANCH        DEPTH  ENTRIES  LAST",
          "  main              1        3  just now",
          "  ├─ branch-1       2        0  just now",
          "* ├─ idea           2        1  just now",
          "  │  └─ deeper      3        0  just now",
          "  ├─ early          2        1  just now",
          "  └─ anew           2        0  just now",
          "",
        ].join("\n"),
      );
    });

    it("are compared", async () => {
      const found = await place.json(sessions("compare", "notes:a", "main", "idea"));
      expect(Object.keys(found)).toEqual(["commonAncestor", "a", "b"]);
      expect(found.commonAncestor).toBe("e2");
      expect([found.a, found.b].map((side: Printed) => side.map((one: Printed) => one.id))).toEqual([
        ["e3"],
        ["i1"],
      ]);
      const { stdout } = await place.run(sessions("compare", "notes:a", "branch-1", "idea"));
      expect(stdout).toMatch(
        /^Both branches share everything up to:\nSEQ.*\n +2 +assistant +just now +Two\n/,
      );
      expect(stdout).toMatch(/Only on branch-1: 1 entry\nSEQ.*\n +3 .*Three\n/);
      expect(stdout).toMatch(/Only on idea: 1 entry\nSEQ.*\n.*Another\n$/);
      const apart = await place.run(sessions("compare", "notes:a", "anew", "main"));
      expect(apart.stdout).toMatch(/^The branches share no entries\.\n\nOnly on anew: nothing\n/);
    });

    it("start at an entry by its label", async () => {
      const labelled = await place.json(sessions("label", "notes:a", "2", "the choice"));
      expect(Object.keys(labelled)).toEqual(["info", "entry"]);
      expect(labelled.entry).toMatchObject({ kind: "label", data: { entry: "e2", label: "the choice" } });
      expect((await place.run(sessions("show", "notes:a"))).stdout).toMatch(
        /SEQ +WHAT +WHEN +LABEL +TEXT\n(.*\n)* +2 +assistant +just now +the choice +Two\n/,
      );
      const { branch } = await place.json(sessions("branch", "notes:a", "--from", "the choice"));
      expect(branch.forkedFrom).toBe("e2");
      await place.json(sessions("label", "notes:a", "1", "the choice"));
      expect(
        (await place.failure(sessions("branch", "notes:a", "--from", "the choice"))).error.message,
      ).toMatch(/^Several entries have the label/);
      const { stdout } = await place.run(sessions("label", "notes:a", "e2", "--remove"));
      expect(stdout).toBe("Entry e2 of notes:a no longer has a label\n");
      await place.json(sessions("label", "notes:a", "1", "--remove"));
      expect((await place.run(sessions("show", "notes:a"))).stdout).not.toContain("LABEL");
    });

    it("become main when they are flattened", async () => {
      const { stdout, stderr } = await place.run(sessions("flatten", "notes:a"));
      expect(stdout).toBe(
        "notes:a is flattened: idea is now main, and the previous main is now former-main\n",
      );
      const hint = /sessions (prune notes:a --name former-main) --store /.exec(stderr)?.[1] ?? "";
      const { removed } = await place.json(sessions(...hint.split(" "), "--dry-run"));
      expect(removed).toMatchObject([{ name: "former-main" }]);
      expect(await texts()).toEqual(["One", "Two", "Another"]);
      expect(await texts("--branch", "former-main")).toEqual(["One", "Two", "Three"]);
      const again = await place.json(sessions("flatten", "notes:a"));
      expect(Object.keys(again)).toEqual(["info"]);
      expect((await place.run(sessions("flatten", "notes:a"))).stdout).toMatch(/nothing to flatten\n$/);
    });

    it("are pruned by name, and only listed in a dry run", async () => {
      const args = sessions("prune", "notes:a", "--name", "early", "--name", "anew", "--name", "early");
      const planned = await place.json([...args, "--dry-run"]);
      expect(Object.keys(planned)).toEqual(["dryRun", "removed", "bytes"]);
      expect(planned.dryRun).toBe(true);
      const { info } = await place.json(sessions("show", "notes:a"));
      expect(planned.removed).toEqual([
        { id: info.id, name: "early", entries: 1, bytes: expect.any(Number) },
        { id: info.id, name: "anew", entries: 0, bytes: 0 },
      ]);
      expect(planned.bytes).toBe(planned.removed[0].bytes);
      expect((await place.run([...args, "--dry-run"])).stdout).toMatch(
        /^BRANCH +ENTRIES +SIZE\nearly +1 +\d+ bytes\nanew +0 +0 bytes\n\n2 branches with 1 entry, \d+ bytes would be removed\. Nothing was changed\.\n$/,
      );
      expect(await place.json(args)).toEqual({ ...planned, dryRun: false });
      expect((await place.failure(sessions("history", "notes:a", "--branch", "early"))).error.code).toBe(
        "NOT_FOUND",
      );
    });

    it("are described in words, with all other changes", async () => {
      const { stdout } = await place.run(sessions("show", "notes:a", "--all"));
      for (const words of [
        "branch branch-1 from #3",
        "branch early from #1, checked out",
        "branch anew from the start",
        "checked out idea",
        'label "the choice" on #2',
        "label removed from #2",
        "flattened; the previous main is now former-main",
        "pruned 2 branches",
      ])
        expect(stdout).toMatch(new RegExp(`(info|label) +just now +${words}\n`));
      expect(stdout).toMatch(/ removed +just now +removed with its branch\n/);
      expect(stdout).not.toContain("{");
    });

    it("are kept when they are main or checked out", async () => {
      await place.json(sessions("checkout", "notes:a", "branch-1"));
      const prune = (name: string): string[] => sessions("prune", "notes:a", "--name", name);
      for (const [name, message] of [
        ["main", "main cannot be pruned"],
        ["branch-1", "branch-1 cannot be pruned while it is checked out"],
      ] as const)
        expect((await place.failure(prune(name))).error).toMatchObject({ message, field: "name" });
      await place.json(sessions("checkout", "notes:a", "main"));
    });

    it("are pruned by age, by number and when abandoned", async () => {
      const prune = (...args: string[]): string[] => sessions("prune", "notes:a", ...args, "--dry-run");
      expect((await place.json(prune("--older-than-days", "1"))).removed).toEqual([]);
      expect((await place.run(prune("--older-than-days", "1"))).stdout).toBe("No branches to prune.\n");
      const all = (await place.json(prune("--keep", "0"))).removed.map((one: Printed) => one.name);
      expect(all.toSorted()).toEqual(["branch-1", "branch-2", "deeper", "former-main"]);
      expect((await place.json(prune("--keep", "3"))).removed).toHaveLength(1);
      expect((await place.json(prune("--abandoned"))).removed.length).toBeGreaterThan(0);
      await place.json(sessions("prune", "notes:a", "--keep", "0"));
      const { branches } = await place.json(sessions("branches", "notes:a"));
      expect(branches.map((branch: Printed) => branch.name)).toEqual(["main"]);
    });

    it("leave an intact store", async () => {
      expect((await place.json(sessions("validate"))).findings).toEqual([]);
    });
  });
}

describe("deep branches", () => {
  const place = new Place();
  const file = place.path("deep.db");
  const sessions = (...args: string[]): string[] => ["sessions", ...args, "--store", file];

  beforeAll(async () => {
    await using store = await openStore(`sqlite:${file}`);
    const chat = await store.open("notes:deep");
    await chat.append({ role: "user", content: "1" });
    for (let depth = 2; depth <= 7; depth++) {
      await chat.branch((await chat.info()).head, { name: `depth-${depth}`, checkout: true });
      await chat.append({ role: "user", content: String(depth) });
    }
  });
  afterAll(() => place[Symbol.dispose]());

  it("cause one warning from depth 8 on, and are refused from depth 11 on", async () => {
    const flatten = /sessions flatten notes:deep --store \S+\n$/;
    const eight = await place.run(sessions("branch", "notes:deep", "--name", "depth-8", "--checkout"));
    expect(eight.stdout).toBe(
      "notes:deep now has a branch depth-8 at depth 8, which is checked out\n" +
        "Warning: Branch depth-8 has depth 8 of at most 10: consider flattening it\n",
    );
    expect(eight.stderr).toMatch(/^To make the checked-out path the main branch: /);
    expect(eight.stderr).toMatch(flatten);
    for (const depth of [8, 9, 10]) {
      const content = ["--role", "user", "--content", "x"];
      await place.json(sessions("append", "notes:deep", ...content));
      const made = await place.run(
        sessions("branch", "notes:deep", "--name", `depth-${depth + 1}`, "--checkout", "--json"),
      );
      if (depth === 10) {
        expect(made.code).toBe(1);
        expect(JSON.parse(made.stderr).error).toMatchObject({ code: "VALIDATION_ERROR", field: "depth" });
      } else {
        expect(JSON.parse(made.stdout).warnings).toEqual([
          `Branch depth-${depth + 1} has depth ${depth + 1} of at most 10: consider flattening it`,
        ]);
        expect(made.stderr).toBe("");
      }
    }
    const { warnings } = await place.json(sessions("branches", "notes:deep"));
    expect(warnings.map((warning: string) => /depth-\d+/.exec(warning)?.[0])).toEqual([
      "depth-10",
      "depth-9",
      "depth-8",
    ]);
    const drawn = await place.run(sessions("branches", "notes:deep"));
    expect(drawn.stdout).toMatch(/\* +└─ depth-10 +! 10 /);
    expect(drawn.stdout).toContain(
      `\n\n${warnings.map((warning: string) => `Warning: ${warning}\n`).join("")}`,
    );
    expect(drawn.stderr).toMatch(flatten);
    await place.json(sessions("checkout", "notes:deep", "main"));
    expect((await place.run(sessions("branches", "notes:deep"))).stderr).toMatch(
      /check it out and flatten it:\n {2}.*sessions checkout notes:deep depth-8 /,
    );
  });
});
