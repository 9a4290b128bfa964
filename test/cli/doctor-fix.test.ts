import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DoctorPlace } from "./doctor-place.ts";
import type { Printed } from "./run-command.ts";

const APPEND = ["sessions", "append", "notes:a", "--role", "user", "--content", "Hi"];

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function codesOf(fixed: readonly Printed[] | undefined): string[] | undefined {
  return fixed?.map(({ code }) => code);
}

describe("doctor --fix", () => {
  it("reports that there is nothing to do when there is no problem", async () => {
    using place = new DoctorPlace();
    await place.command(APPEND);
    const { code, findings, fixed } = await place.doctor(["--fix"]);
    expect({ code, findings, fixed }).toEqual({ code: 0, findings: [], fixed: [] });
  });

  it("creates nothing on a fresh machine", async () => {
    using place = new DoctorPlace();
    expect((await place.doctor(["--fix"])).fixed).toEqual([]);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("removes the access of others to folders and files, and reports it", async () => {
    using place = new DoctorPlace();
    await place.command(APPEND);
    const config = place.write("colloquy.json", "{}");
    const database = place.path("state", "conversations.db");
    chmodSync(place.state, 0o755);
    for (const path of [config, database]) chmodSync(path, 0o644);
    const { code, findings, fixed } = await place.doctor(["--fix"]);
    expect({ code, findings }).toEqual({ code: 0, findings: [] });
    expect(codesOf(fixed)).toEqual(["open-folder", "open-file"]);
    expect([place.state, config, database].map(mode)).toEqual(["700", "600", "600"]);
    expect(fixed?.[0].what).toContain(`${place.state} was open to others (0755)`);
    expect(fixed?.[1].what).toMatch(/changed to 0600 \(and 1 more\)$/);
    expect((await place.doctor()).findings).toEqual([]);
  });

  it.each(["sqlite:elsewhere.db", "jsonl:elsewhere"])(
    "removes the access of others to the store %s",
    async (store) => {
      using place = new DoctorPlace();
      await place.command([...APPEND, "--store", store]);
      const path = place.path(store.split(":")[1] ?? "");
      const file = statSync(path).isDirectory() ? `${path}/store.json` : path;
      chmodSync(file, 0o644);
      expect((await place.doctor(["--store", store])).codes).toContain("warning open-file");
      const { code, fixed } = await place.doctor(["--fix", "--store", store]);
      expect({ code, fixed: codesOf(fixed) }).toEqual({ code: 0, fixed: ["open-file"] });
      expect(mode(file)).toBe("600");
    },
  );

  it("leaves the files of another program alone", async () => {
    using place = new DoctorPlace();
    writeFileSync(place.path("notes.db"), "This is not a database, but text.\n".repeat(90), { mode: 0o644 });
    const { codes, fixed } = await place.doctor(["--fix", "--store", "sqlite:notes.db"]);
    expect(codes).toContain("error store-not-opened");
    expect(fixed).toEqual([]);
    expect(mode(place.path("notes.db"))).toBe("644");
  });

  it("sets a damaged index aside and rebuilds it from the store", async () => {
    using place = new DoctorPlace();
    await place.command(APPEND);
    const index = place.write(
      "agents/main/sessions/sessions.json",
      `{\n"notes:b": {"sessionId":"b","updatedAt":5},\n"notes:c": {"sess`,
    );
    place.write("agents/main/sessions/d.jsonl", '{"type":"session","id":"d"}\n');
    const { code, codes } = await place.doctor();
    expect({ code, codes }).toEqual({ code: 3, codes: ["error damaged-index"] });
    const damaged = readFileSync(index, "utf8");
    const after = await place.doctor(["--fix"]);
    expect({ code: after.code, codes: after.codes }).toEqual({ code: 0, codes: ["note set-aside"] });
    expect(codesOf(after.fixed)).toEqual(["damaged-index", "index-differs"]);
    expect(Object.keys(JSON.parse(readFileSync(index, "utf8")))).toEqual(
      expect.arrayContaining(["notes:a", "notes:b", "recovered:d"]),
    );
    const [aside = ""] = readdirSync(dirname(index)).filter((name) => name.includes(".damaged-"));
    expect(readFileSync(join(dirname(index), aside), "utf8")).toBe(damaged);
  });

  it("corrects an index that does not match the store, and no index of another program", async () => {
    using place = new DoctorPlace();
    await place.command(APPEND);
    const gone = { sessionId: "gone", updatedAt: 1, managedBy: "colloquy" };
    const foreign = { "notes:z": { sessionId: "z", updatedAt: 1 } };
    const index = place.write("agents/main/sessions/sessions.json", { "notes:old": gone, ...foreign });
    const others = place.write("agents/two/sessions/sessions.json", foreign);
    const before = await place.doctor();
    expect(before.codes).toEqual(["warning index-differs"]);
    expect(before.findings[0].what).toMatch(/main.*1 conversation missing, 0 out of date, 1 wrong$/);
    const text = readFileSync(index, "utf8");
    await place.command([...APPEND, "--store", "other.db"]);
    const other = await place.doctor(["--fix", "--store", "other.db"]);
    expect({ findings: other.findings, fixed: other.fixed }).toEqual({ findings: [], fixed: [] });
    const { code, codes, findings, fixed } = await place.doctor(["--fix"]);
    expect({ code, codes }).toEqual({ code: 0, codes: ["note set-aside"] });
    expect(codesOf(fixed)).toEqual(["index-differs"]);
    const [aside = ""] = /\S+\.replaced-\d+/.exec(findings[0].what) ?? [];
    expect({ text: readFileSync(aside, "utf8"), mode: mode(aside) }).toEqual({ text, mode: "600" });
    expect(Object.keys(JSON.parse(readFileSync(index, "utf8"))).sort()).toEqual(["notes:a", "notes:z"]);
    expect(JSON.parse(readFileSync(others, "utf8"))).toEqual(foreign);
    expect((await place.doctor()).codes).toEqual(["note set-aside"]);
    await place.command(APPEND);
    expect((await place.doctor()).codes).toEqual(["note index-differs", "note set-aside"]);
  });

  it("writes models.json where it is missing or out of date", async () => {
    using place = new DoctorPlace();
    await place.command(APPEND);
    await place.command(["auth", "add", "openai", "--from-env", "HOME"]);
    expect((await place.doctor()).codes).toEqual(["note no-models"]);
    const first = await place.doctor(["--fix"]);
    expect({ code: first.code, codes: first.codes, fixed: codesOf(first.fixed) }).toEqual({
      code: 0,
      codes: [],
      fixed: ["no-models"],
    });
    const models = place.path("state", "agents", "main", "models.json");
    expect(Object.keys(JSON.parse(readFileSync(models, "utf8")).providers)).toEqual(["openai"]);
    expect((await place.doctor()).findings).toEqual([]);
    // Another environment is not a problem; a change of the config is.
    expect((await place.doctor([], { XAI_API_KEY: "xai-0123456789" })).codes).toEqual(["note old-models"]);
    await place.command(["auth", "add", "xai", "--from-env", "HOME"]);
    expect((await place.doctor()).codes).toEqual(["warning old-models"]);
    expect(codesOf((await place.doctor(["--fix"])).fixed)).toEqual(["old-models"]);
    expect(Object.keys(JSON.parse(readFileSync(models, "utf8")).providers)).toEqual(["openai", "xai"]);
  });

  it("does not write models.json from a config with errors", async () => {
    using place = new DoctorPlace();
    await place.command(["auth", "add", "openai", "--from-env", "HOME"]);
    place.write("colloquy.json", "{ gateway: { port: 0 } }");
    const { codes, fixed } = await place.doctor(["--fix"]);
    expect(codes).toContain("error config-wrong-value");
    expect(fixed).toEqual([]);
  });

  it("shows what was fixed, and before that what can be fixed", async () => {
    using place = new DoctorPlace();
    const config = place.write("colloquy.json", "{}");
    chmodSync(config, 0o644);
    const before = await place.command(["doctor"]);
    expect(before.code).toBe(3);
    expect(before.stdout).toMatch(
      /warning +Other users of this machine can read .*colloquy\.json\n +Remove their access: find/,
    );
    expect(before.stderr).toMatch(/doctor --fix\n$/);
    const after = await place.command(["doctor", "--fix"]);
    expect(after.stdout).toMatch(/^fixed +.*colloquy\.json was open to others \(0644\): changed to 0600\n/);
    expect(after.stdout).toContain("No problems found.");
    expect(after.stderr).toBe("");
  });
});
