import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Place } from "./run-command.ts";

function configured(place: Place, text: string): void {
  mkdirSync(place.state, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.state, "colloquy.json"), text, { mode: 0o600 });
}

const HELLO = ["--role", "user", "--content", "Hello"];

describe("the section sessions of the config", () => {
  it("sets how deep branches may be, and whether there are any", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", ...HELLO]);
    configured(place, "{ sessions: { tree: { max_depth: 1, warning_depth: 1 } } }");
    const deep = await place.run(["sessions", "branch", "notes:a", "--name", "b"]);
    expect(deep.code).toBe(1);
    expect(deep.stderr).toMatch(/depth 2, above the limit of 1/);
    configured(place, "{ sessions: { tree_enabled: false } }");
    expect((await place.run(["sessions", "branch", "notes:a"])).stderr).toMatch(/disabled/);
  });

  it("sets the limits of sessions retain, which has none by default", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", ...HELLO]);
    await place.json(["sessions", "append", "notes:b", ...HELLO]);
    expect((await place.run(["sessions", "retain"])).code).toBe(1);
    configured(place, "{ sessions: { retention: { channels: { notes: { max_messages: 1 } } } } }");
    const { trashed } = await place.json(["sessions", "retain", "--dry-run"]);
    expect(trashed).toHaveLength(1);
  });

  it("ends a command if it is invalid, except those that look for problems", async () => {
    using place = new Place();
    await place.json(["sessions", "append", "notes:a", ...HELLO]);
    configured(place, "{ sessions: { tree: { max_depth: 'deep' } } }");
    const { code, stderr } = await place.run(["sessions", "list"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/colloquy\.json:1:\d+.*sessions\.tree\.max_depth/);
    expect((await place.run(["sessions", "validate"])).code).toBe(0);
  });
});
