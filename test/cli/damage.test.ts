import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { checkNode, checkSqlite, isOlder, spaceReport } from "../../src/doctor/machine.ts";
import { openStore } from "../../src/store/open.ts";
import { BIN, Place, type Printed } from "./run-command.ts";

async function seed(target: string): Promise<void> {
  await using store = await openStore(target);
  const chat = await store.open("notes:a");
  for (const content of ["One", "Two", "Three"]) await chat.append({ role: "user", content });
}

/** Changes a letter of the second message: still JSON, but with a wrong checksum. */
function damageLine(place: Place): string {
  const name = readdirSync(place.path("chats")).find((file) => /^\d{17}\.jsonl$/.test(file)) ?? "";
  const file = place.path("chats", name);
  writeFileSync(file, readFileSync(file, "utf8").replace('"Two"', '"Twe"'));
  return file;
}

describe("validate", () => {
  it("reports a changed line of a transcript with exit code 3, and says where", async () => {
    using place = new Place();
    const store = ["--store", `jsonl:${place.path("chats")}`];
    await seed(`jsonl:${place.path("chats")}`);
    const file = damageLine(place);
    const { code, stdout } = await place.run(["sessions", "validate", "--json", ...store]);
    expect(code).toBe(3);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ ok: false, conversations: 1 });
    expect(report.findings.length).toBeGreaterThan(0);
    expect(Object.keys(report.findings[0])).toEqual([
      "code",
      "conversation",
      "source",
      "line",
      "message",
      "count",
    ]);
    expect(report.findings[0]).toMatchObject({ code: "bad-line", source: file, line: 3 });
    const human = await place.run(["sessions", "validate", ...store]);
    expect(human.code).toBe(3);
    expect(human.stdout).toContain(`${file}, line 3`);
  });

  it("reports a wrong count in a SQLite file", async () => {
    using place = new Place();
    const file = place.path("agent.db");
    await seed(`sqlite:${file}`);
    const database = new DatabaseSync(file);
    database.exec("UPDATE conversations SET message_count = 7");
    database.close();
    const { code, stdout } = await place.run(["sessions", "validate", "--json", "--store", `sqlite:${file}`]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout).findings).toMatchObject([
      { code: "wrong-count", source: file, line: null },
      { code: "wrong-tally" },
    ]);
  });

  it("reports a file that is too damaged to be read as a finding", async () => {
    using place = new Place();
    const file = place.path("agent.db");
    await seed(`sqlite:${file}`);
    // The schema page of the file, after its header.
    writeFileSync(file, readFileSync(file).fill(0xff, 100, 4096));
    const store = ["--store", `sqlite:${file}`];
    const { code, stdout } = await place.run(["sessions", "validate", "--json", ...store]);
    expect(code).toBe(3);
    const { ok, findings } = JSON.parse(stdout);
    expect({ ok, findings }).toMatchObject({ ok: false, findings: [{ code: "damaged-file", source: file }] });
    const doctor = await place.run(["doctor", ...store]);
    expect(doctor.code).toBe(3);
    expect(doctor.stdout).toContain("malformed");
    expect(doctor.stdout).not.toContain("colloquy doctor");
    expect((await place.run(["sessions", "list", ...store])).code).toBe(0);
  });

  it("warns about a damaged transcript, and shows what can still be read", async () => {
    using place = new Place();
    const store = ["--store", `jsonl:${place.path("chats")}`];
    await seed(`jsonl:${place.path("chats")}`);
    damageLine(place);
    const { code, stdout, stderr } = await place.run(["sessions", "history", "notes:a", ...store]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/One[\s\S]*Three/);
    expect(stderr).toMatch(
      /^Warning: Cannot read an entry: .*\.jsonl: bytes .*\. To see all problems: .*sessions validate --store jsonl:\S+\n$/,
    );
    const together = execFileSync(
      "sh",
      ["-c", '"$0" "$@" 2>&1', process.execPath, BIN, "sessions"].concat(["history", "notes:a", ...store]),
      { encoding: "utf8" },
    );
    expect(together).toBe(stderr + stdout);
    const json = await place.run(["sessions", "history", "notes:a", "--json", ...store]);
    expect(JSON.parse(json.stderr.split("\n")[0] ?? "")).toMatchObject({
      warning: { code: "SERVICE_UNAVAILABLE" },
    });
  });
});

describe("doctor", () => {
  it("finds no problems in a store of this version", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", "--role", "user", "--content", "Hi"]);
    expect(await place.json(["doctor"])).toEqual({ ok: true, findings: [] });
    const { stdout } = await place.run(["doctor"]);
    expect(stdout).toMatch(/ok +Node \d+/);
    expect(stdout).toMatch(/ok +SQLite \d+/);
    expect(stdout).toMatch(/ok +Store .*conversations\.db, 1 conversation\n/);
    expect(stdout).toContain("No problems found.");
  });

  it("finds no problems before the first message, and creates nothing", async () => {
    using place = new Place();
    const { ok, findings } = await place.json(["doctor"]);
    expect(ok).toBe(true);
    expect(findings.map((finding: Printed) => finding.code)).toEqual(["no-state-folder", "no-store"]);
    expect(Object.keys(findings[0])).toEqual(["code", "severity", "what", "fix"]);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("finds files and folders that others can read", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", "--role", "user", "--content", "Hi"]);
    chmodSync(place.state, 0o755);
    chmodSync(`${place.state}/conversations.db`, 0o644);
    const { code, stdout } = await place.run(["doctor", "--json"]);
    expect(code).toBe(3);
    const { ok, findings } = JSON.parse(stdout);
    expect(ok).toBe(false);
    expect(findings).toMatchObject([
      { code: "open-folder", severity: "warning", fix: `Remove their access: chmod 700 ${place.state}` },
      { code: "open-file", severity: "warning" },
    ]);
    expect((await place.run(["doctor"])).stdout).toContain("2 problems found.");
  });

  it.each([
    ["missing", "sqlite:nowhere.db"],
    ["of another program", "sqlite:notes.txt"],
  ])("says what to do about a store that is %s", async (_, store) => {
    using place = new Place();
    writeFileSync(place.path("notes.txt"), "This is not a database, but text of some length.\n".repeat(50));
    const { code, stdout } = await place.run(["doctor", "--json", "--store", store]);
    expect(code).toBe(3);
    const { findings } = JSON.parse(stdout);
    const finding = findings.find((one: Printed) => one.code === "store-not-opened");
    expect(findings.map((one: Printed) => one.code)).not.toContain("open-file");
    expect(finding).toMatchObject({ severity: "error", fix: expect.stringContaining("--store") });
  });

  it("reports damage as the store does", async () => {
    using place = new Place();
    await seed(`jsonl:${place.path("chats")}`);
    damageLine(place);
    const { code, stdout } = await place.run(["doctor", "--json", "--store", `jsonl:${place.path("chats")}`]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout).findings.find((one: Printed) => one.code === "bad-line").severity).toBe(
      "error",
    );
  });

  it.each([
    ["3.51.3", "3.51.3", false],
    ["3.51.2", "3.51.3", true],
    ["3.52.0", "3.51.3", false],
    ["4.0.0", "3.51.3", false],
    ["3.9.99", "3.51.3", true],
  ])("knows whether version %s is older than %s", (version, than, older) => {
    expect(isOlder(version, than)).toBe(older);
  });

  it("warns about old programs and a nearly full disk", () => {
    expect(checkNode("22.1.0").findings).toMatchObject([{ code: "old-node", severity: "error" }]);
    expect(checkSqlite("3.51.2").findings).toMatchObject([{ code: "old-sqlite", severity: "warning" }]);
    expect(spaceReport("/", 400e6, 1e9).findings).toMatchObject([{ code: "little-space" }]);
    expect(spaceReport("/", 40e9, 1000e9).findings).toMatchObject([{ code: "little-space" }]);
    expect(spaceReport("/", 60e9, 1000e9).findings).toEqual([]);
    expect(spaceReport("/proc", 0, 0).findings).toEqual([]);
  });
});
