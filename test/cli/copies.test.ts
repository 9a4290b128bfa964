import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { withProgress } from "../../src/cli/terminal/progress.ts";
import { Place, type Printed } from "./run-command.ts";

const HELLO = ["sessions", "append", "notes:a", "--role", "user", "--content"];

const MEMBERS = ["path", "engine", "conversations", "entries", "bytes", "ok", "findings"];

function damage(place: Place, engine: "sqlite" | "jsonl", folder: string): void {
  if (engine === "sqlite") {
    const database = new DatabaseSync(place.path(folder));
    database.exec("UPDATE conversations SET message_count = 7");
    database.close();
    return;
  }
  const name = readdirSync(place.path(folder)).find((file) => /^\d{17}\.jsonl$/.test(file)) ?? "";
  const file = place.path(folder, name);
  writeFileSync(file, readFileSync(file, "utf8").replace('"Two"', '"Twe"'));
}

/** Every line is a warning as programs read it. */
function warningsIn(stderr: string): Printed[] {
  const lines = stderr.trimEnd().split("\n");
  return lines.map((line) => {
    const { warning } = JSON.parse(line);
    expect(Object.keys(warning)).toEqual(["code", "message", "field"]);
    return warning;
  });
}

for (const engine of ["sqlite", "jsonl"] as const) {
  describe(`a backup on ${engine}`, () => {
    const folder = engine === "sqlite" ? "agent.db" : "chats";
    const copy = engine === "sqlite" ? "copy.db" : "copy";
    const store = ["--store", `${engine}:${folder}`];

    it("is created, and becomes a store again", async () => {
      using place = new Place();
      await place.json([...HELLO, "One", ...store]);
      const made = await place.json(["backup", copy, ...store]);
      expect(made).toEqual({
        path: place.path(copy),
        engine,
        conversations: 1,
        entries: 1,
        bytes: expect.any(Number),
        ok: true,
        findings: [],
      });
      expect(readdirSync(place.folder)).toContain(`${copy}.manifest.json`);
      await place.json([...HELLO, "Two", ...store]);

      const refused = await place.failure(["restore", copy, ...store]);
      expect(refused).toMatchObject({ code: 1, error: { code: "CONFLICT", field: "force" } });
      expect(refused.error.message).toMatch(/Add --force to replace it, or use another store with --store$/);

      const back = await place.json(["restore", copy, ...store, "--force"]);
      expect(Object.keys(back)).toEqual([
        "path",
        "engine",
        "conversations",
        "entries",
        "bytes",
        "checksums",
        "former",
        "ok",
        "findings",
      ]);
      expect(back).toMatchObject({ path: place.path(folder), conversations: 1, entries: 1, checksums: true });
      const words = async (target: string): Promise<string> =>
        (await place.run(["sessions", "history", "notes:a", "--store", target])).stdout;
      expect(await words(`${engine}:${folder}`)).not.toContain("Two");
      expect(await words(`${engine}:${back.former}`)).toContain("Two");
    });

    it("reports what it did, and how to restore", async () => {
      using place = new Place();
      await place.json([...HELLO, "One", ...store]);
      const made = await place.run(["backup", copy, ...store]);
      expect(made.stdout).toMatch(/^Copied 1 conversation with 1 entry to \S+ \(.*\)\nKeep its \.manifest/);
      expect(made.stderr).toMatch(new RegExp(`restore ${copy} --store ${engine}:${folder} --force\n$`));
      const back = await place.run(["restore", copy, "--store", `${engine}:other/new`]);
      expect(back.stdout).toBe(
        `Restored 1 conversation with 1 entry to ${place.path("other", "new")} (${/\((.*)\)/.exec(back.stdout)?.[1]})\n` +
          "The checksums of the backup match.\n",
      );
      expect(back.stderr).toBe("");
      expect((await place.failure(["backup", copy, ...store])).error.code).toBe("CONFLICT");
    });

    it("of a damaged store warns about the damage first, and so does a restore", async () => {
      using place = new Place();
      for (const word of ["One", "Two", "Three"]) await place.json([...HELLO, word, ...store]);
      damage(place, engine, folder);
      const made = await place.run(["backup", copy, ...store]);
      expect(made.code).toBe(3);
      expect(made.stderr).toMatch(/^Warning: The store and its copy are damaged: .+\n/);
      expect(made.stderr).not.toContain("--force");
      expect(made.stdout).toMatch(/^Copied 1 conversation with .*, with the damage of the store\.\n$/);

      const programs = await place.run(["backup", `${copy}2`, ...store, "--json"]);
      expect(programs.code).toBe(3);
      const report = JSON.parse(programs.stdout);
      expect(Object.keys(report)).toEqual(MEMBERS);
      expect(report.ok).toBe(false);
      expect(Object.keys(report.findings[0])).toEqual([
        "code",
        "conversation",
        "source",
        "line",
        "message",
        "count",
      ]);
      expect(warningsIn(programs.stderr)).toHaveLength(report.findings.length);

      const back = await place.run(["restore", copy, "--store", `${engine}:new`]);
      expect(back.code).toBe(3);
      expect(back.stderr).toMatch(/^Warning: The store was damaged when it was backed up, /);
      expect(back.stdout).toMatch(/^Restored .*, with its damage\nThe checksums .* match\.\n$/);
      const json = await place.run(["restore", copy, "--store", `${engine}:new2`, "--json"]);
      expect(json.code).toBe(3);
      expect(JSON.parse(json.stdout)).toMatchObject({ checksums: true, ok: false });
      expect(warningsIn(json.stderr)).toHaveLength(JSON.parse(json.stdout).findings.length);
    });
  });
}

describe("a restore", () => {
  it("works on a fresh machine, into the state folder", async () => {
    using place = new Place();
    await place.json([...HELLO, "One", "--store", "agent.db"]);
    await place.json(["backup", "copy.db", "--store", "agent.db"]);
    expect(existsSync(place.state)).toBe(false);
    await place.json(["restore", "copy.db"]);
    expect((await place.json(["sessions", "list"])).items).toMatchObject([{ key: "notes:a" }]);
    expect(await place.json(["doctor"])).toEqual({ ok: true, findings: [] });
  });

  it("refuses a backup that was changed, and restores nothing", async () => {
    using place = new Place();
    await place.json([...HELLO, "One", "--store", "agent.db"]);
    await place.json(["backup", "copy.db", "--store", "agent.db"]);
    const bytes = readFileSync(place.path("copy.db"));
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    writeFileSync(place.path("copy.db"), bytes);
    const { code, error } = await place.failure(["restore", "copy.db", "--store", "sqlite:new.db"]);
    expect(code).toBe(1);
    expect(error.message).toMatch(/damaged: .* Nothing was restored/);
    expect(readdirSync(place.folder).filter((name) => name.startsWith("new"))).toEqual([]);
  });

  it("says if the backup has no checksums", async () => {
    using place = new Place();
    await place.json([...HELLO, "One", "--store", "agent.db"]);
    const { stdout } = await place.run(["restore", "agent.db", "--store", "sqlite:new.db"]);
    expect(stdout).toContain("The backup has no checksums");
  });
});

describe("progress", () => {
  const watched = (isTTY: boolean): { written: string[]; stream: Parameters<typeof withProgress>[3] } => {
    const written: string[] = [];
    const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
    return { written, stream: { isTTY, write, columns: 80 } };
  };

  it("is shown on a terminal at once, and removed", async () => {
    const { written, stream } = watched(true);
    expect(await withProgress({ json: false }, "Copying", async () => 7, stream)).toBe(7);
    expect(written).toEqual(["\r\u001b[KCopying …", "\r\u001b[K"]);
  });

  it("is removed when the work fails", async () => {
    const { written, stream } = watched(true);
    const failing = withProgress({ json: false }, "Copying", () => Promise.reject(new Error("no")), stream);
    await expect(failing).rejects.toThrow("no");
    expect(written.at(-1)).toBe("\r\u001b[K");
  });

  it("is not shown to programs", async () => {
    for (const [json, isTTY] of [
      [true, true],
      [false, false],
    ] as const) {
      const { written, stream } = watched(isTTY);
      await withProgress({ json }, "Copying", async () => 7, stream);
      expect(written).toEqual([]);
    }
  });
});
