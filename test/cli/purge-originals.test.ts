/** What a purge says of the files that a conversation was imported from, or that were put back for its tool. */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { makeZip } from "../support/make-zip.ts";
import { Place } from "./run-command.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const SESSION = "21000000-0000-4000-8000-000000000003";
const KEY = `claude-code:${SESSION}`;
const PROJECT = ".claude/projects/-home-mira-garden";

/** A home folder with a session of Claude Code, which has a long output in a file of its own. */
function claude(place: Place) {
  const project = place.path("home", PROJECT);
  mkdirSync(project, { recursive: true });
  cpSync(join(FIXTURES, "claude-code/2.1-session"), project, { recursive: true });
  const output = join(project, SESSION, "tool-results");
  const files = [join(project, `${SESSION}.jsonl`), join(output, "toolu_log.txt")];
  return { project, env: { HOME: place.path("home") }, files };
}

async function originalsOf(place: Place, key: string, env: Record<string, string>): Promise<string[]> {
  return (await place.json(["sessions", "purge", key, "--force"], { env })).originals;
}

describe("the originals of a purged conversation", () => {
  it("are listed as far as they exist, also by a dry run, and are left as they are", async () => {
    using place = new Place();
    const { env, files } = claude(place);
    await place.json(["import", place.path("home/.claude")], { env });
    const planned = await place.json(["sessions", "purge", KEY, "--force", "--dry-run"], { env });
    expect(planned.originals).toEqual(files);
    rmSync(files[1] as string);
    await place.run(["sessions", "delete", KEY], { env });
    const { stdout } = await place.run(["sessions", "purge", KEY], { env });
    const said = "Warning: the originals are left as they are, and may still contain the text:";
    expect(stdout).toContain(`${said}\n  ${files[0]}\n`);
    expect(readFileSync(files[0] as string, "utf8")).toContain(SESSION);
  });

  it("are also those that resume put back, wherever they were imported from", async () => {
    using place = new Place();
    const { env, files, project } = claude(place);
    await place.json(["import", place.path("home/.claude")], { env });
    renameSync(project, place.path("elsewhere"));
    await place.json(["resume", KEY], { env });
    expect(await originalsOf(place, KEY, env)).toEqual(files);
  });

  it("are also the files that resume wrote for a tool to import", async () => {
    using place = new Place();
    const env = { HOME: place.path("home"), XDG_DATA_HOME: place.path("data") };
    const path = place.path("opencode.db");
    const database = new DatabaseSync(path);
    database.exec(readFileSync(join(FIXTURES, "opencode/1.18.33-continued-and-forked.sql"), "utf8"));
    database.close();
    const { imported } = await place.json(["import", path], { env });
    const { id } = imported[0];
    const { files } = await place.json(["resume", id], { env });
    expect(files).toHaveLength(1);
    expect(dirname(files[0].path)).toBe(join(place.state, "resume"));
    expect(await originalsOf(place, id, env)).toEqual([path, files[0].path]);
  });

  it("are the archive that a file was in", async () => {
    using place = new Place();
    const data = readFileSync(join(FIXTURES, "claude-code/real-forks.jsonl"));
    const zip = place.path("their!.zip");
    writeFileSync(zip, makeZip([{ name: "a/b.jsonl", data }]));
    // The path of a member begins with the path of this, too.
    mkdirSync(place.path("their"));
    const env = { HOME: place.path("home") };
    const { imported } = await place.json(["import", zip], { env });
    expect(await originalsOf(place, imported[0].id, env)).toEqual([zip]);
  });

  it("are none of a conversation that was not imported", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", "--role", "user", "--content", "Hi"]);
    expect(await originalsOf(place, "notes:a", {})).toEqual([]);
  });
});
