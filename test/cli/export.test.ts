import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { Place } from "./run-command.ts";

// In two parts, so that no scanner reports this file as a leak.
const SECRET = `gh${"p_"}aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA5b`;

for (const engine of ["sqlite", "jsonl"] as const) {
  describe(`export from ${engine}`, () => {
    const place = new Place();
    const target = `${engine}:${place.path(engine === "sqlite" ? "agent.db" : "chats")}`;
    const command = (...args: string[]): string[] => ["export", ...args, "--store", target];
    let id: string;

    beforeAll(async () => {
      await using store = await openStore(target);
      const chat = await store.open("notes:a/b", { title: "Notes" });
      id = chat.id;
      await chat.append([
        { role: "user", content: `One ${SECRET}`, id: "e1" },
        {
          role: "assistant",
          id: "e2",
          content: [
            { type: "thinking", thinking: "Hm" },
            { type: "text", text: "Two" },
          ],
        },
      ]);
      await chat.branch("e1", { name: "idea" });
      await chat.append({ role: "user", content: "Three", id: "e3" }, { branch: "idea" });
      await (await store.open("notes:a-b")).append({ role: "user", content: "Another" });
    });
    afterAll(() => place[Symbol.dispose]());

    it("prints a conversation, without secrets in documents", async () => {
      const { code, stdout } = await place.run(command("notes:a/b", "--to", "markdown"));
      expect(code).toBe(0);
      expect(stdout).toMatch(/^# Notes\n/);
      expect(stdout).toContain("> One [redacted: github token]\n");
      expect(stdout).not.toContain("Three");
      const open = await place.run(
        command(id, "--to", "markdown", "--no-redact", "--out", "-", "--no-thinking"),
      );
      expect(open.stdout).toContain(SECRET);
      expect(open.stdout).not.toContain("Hm");
      const other = await place.run(command(id, "--to", "claude", "--branch", "idea", "--redact"));
      // Consecutive messages of one role are one message in this API.
      const content = ["One [redacted: github token]", "Three"].map((text) => ({ type: "text", text }));
      expect(JSON.parse(other.stdout).messages).toEqual([{ role: "user", content }]);
    });

    it("writes a file that only its owner can read, and overwrites none", async () => {
      const path = place.path("a.html");
      const made = await place.json(command(id, "--to", "html", "--out", path, "--all-branches"));
      expect(made).toEqual({
        format: "html",
        exported: [{ id, key: "notes:a/b", title: "Notes", path, bytes: statSync(path).size, redacted: 1 }],
      });
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(path, "utf8")).toContain("Three");
      const before = readFileSync(path);
      const { code, error } = await place.failure(command(id, "--to", "json", "--out", path));
      expect([code, error.code, error.field]).toEqual([1, "CONFLICT", "out"]);
      expect(readFileSync(path)).toEqual(before);
      const { stdout } = await place.run(command(id, "--to", "json", "--out", path, "--force"));
      expect(stdout).toMatch(/^Exported notes:a\/b to .*a\.html \(/);
      expect(JSON.parse(readFileSync(path, "utf8")).info.id).toBe(id);
      expect(readdirSync(place.folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    });

    it("writes every conversation into a folder, under unique names", async () => {
      const folder = place.path("archive");
      const { exported } = await place.json(command("--all", "--to", "jsonl", "--out", folder));
      expect(exported).toHaveLength(2);
      const names = readdirSync(folder);
      expect(names).toHaveLength(2);
      for (const name of names) expect(name).toMatch(/^notes-a-b-[0-9a-f-]{36}\.jsonl$/);
      mkdirSync(place.path("mine"));
      await place.json(command(id, "--to", "openclaw", "--out", place.path("mine")));
      expect(readdirSync(place.path("mine"))).toEqual([`notes-a-b-${id}.jsonl`]);
      const both = await place.json(command(id, "notes:a-b", "--to", "openai", "--out", place.path("both")));
      expect(both.exported).toHaveLength(2);
    });

    it("writes none of several if one already exists", async () => {
      const folder = place.path("half");
      mkdirSync(folder);
      writeFileSync(place.path("half", `notes-a-b-${id}.md`), "mine");
      const { error } = await place.failure(command("--all", "--to", "markdown", "--out", folder));
      expect(error.code).toBe("CONFLICT");
      expect(readdirSync(folder)).toHaveLength(1);
    });

    it("creates nothing when it fails", async () => {
      const path = place.path("none.json");
      expect(
        (await place.failure(command(id, "--to", "json", "--branch", "x", "--out", path))).error.code,
      ).toBe("NOT_FOUND");
      expect((await place.failure(command("notes:nobody", "--to", "json", "--out", path))).error.code).toBe(
        "NOT_FOUND",
      );
      expect(existsSync(path)).toBe(false);
    });

    it.each([
      [["notes:a/b", "--to", "json"], "deep/out.json"],
      [["--all", "--to", "json"], ""],
    ])("says that %j cannot write below a file", async (args, below) => {
      const file = place.path("a-file");
      writeFileSync(file, "");
      const { code, error } = await place.failure(command(...args, "--out", place.path("a-file", below)));
      expect({ code, error }).toMatchObject({ code: 1, error: { message: `${file} is not a folder` } });
    });

    it.each([
      [["notes:a/b"], /Specify a format: --to markdown, html/],
      [["notes:a/b", "--to", "word"], /Unknown format "word"/],
      [["--to", "json"], /Specify conversations/],
      [["notes:a/b", "notes:a-b", "--to", "json"], /folder: specify it with --out/],
      [["--all", "--to", "json"], /folder: specify it with --out/],
      [["notes:a/b", "--all", "--to", "json", "--out", "x"], /cannot be given together/],
      [["notes:a/b", "--to", "json", "--redact", "--no-redact"], /cannot be given together/],
      [["notes:a/b", "--to", "json", "--branch", "idea", "--all-branches"], /cannot be given together/],
    ])("reports what is wrong with %j", async (args, message) => {
      const { code, error } = await place.failure(command(...args));
      expect(code).toBe(2);
      expect(error.message).toMatch(message);
    });

    it("refuses several branches in a list of messages", async () => {
      const { code, error } = await place.failure(command(id, "--to", "openai", "--all-branches"));
      expect([code, error.code]).toEqual([1, "VALIDATION_ERROR"]);
    });
  });
}
