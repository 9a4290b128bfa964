import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { piHeader, piSays } from "../formats/pi-session.ts";
import { Place } from "./run-command.ts";

it("export --to original writes imported files again, and says what they lack", async () => {
  using place = new Place();
  const sources = place.path("sources");
  mkdirSync(join(sources, "deep"), { recursive: true });
  const text = `${piHeader("s1")}{"torn\n${piSays("a1", null, "One")}`;
  writeFileSync(join(sources, "deep", "a.jsonl"), text);
  const store = ["--store", `sqlite:${place.path("agent.db")}`];
  await place.run(["import", sources, ...store]);
  const printed = await place.run(["export", "pi:s1", "--to", "original", ...store]);
  expect(printed).toMatchObject({ code: 0, stdout: text });
  const out = place.path("out");
  const made = await place.json(["export", "--all", "--to", "original", "--out", out, ...store]);
  const path = join(out, "deep", "a.jsonl");
  expect(made).toMatchObject({
    format: "original",
    exported: [
      { file: "deep/a.jsonl", path, state: "written", bytes: text.length, isExact: true, notes: [] },
    ],
  });
  expect(readFileSync(path, "utf8")).toBe(text);
  await place.run(["sessions", "redact", "pi:s1", "a1", ...store]);
  const redacted = await place.run([
    "export",
    "pi:s1",
    "--to",
    "original",
    "--out",
    out,
    "--force",
    ...store,
  ]);
  expect(redacted.stdout).toContain("not identical to its source");
  expect(redacted.stdout).toContain("words in it were erased");
  expect(readFileSync(path, "utf8")).not.toContain("One");
  const refused = await place.run(["export", "pi:s1", "--to", "original", "--no-tools", ...store]);
  expect(refused.code).toBe(2);
});

it("export --to original leaves what is there, goes on with the others, and says what differs", async () => {
  using place = new Place();
  const [sources, out] = [place.path("sources"), place.path("out")];
  mkdirSync(sources);
  const names = ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"];
  for (const name of names) writeFileSync(join(sources, name), piHeader(name) + piSays(name, null, name));
  const store = ["--store", `sqlite:${place.path("agent.db")}`];
  await place.run(["import", sources, ...store]);
  mkdirSync(out);
  writeFileSync(join(out, "a.jsonl"), "of somebody else");
  mkdirSync(join(out, "b.jsonl"));
  writeFileSync(join(out, "c.jsonl"), readFileSync(join(sources, "c.jsonl")));
  const exporting = ["export", "--all", "--to", "original", "--out", out, ...store];
  const { code, stdout } = await place.run([...exporting, "--json"]);
  const { exported } = JSON.parse(stdout) as { exported: { file: string; state: string }[] };
  const states = Object.fromEntries(exported.map(({ file, state }) => [file, state]));
  expect({ code, states }).toEqual({
    code: 3,
    states: { "a.jsonl": "differs", "b.jsonl": "differs", "c.jsonl": "same", "d.jsonl": "written" },
  });
  expect(readFileSync(join(out, "a.jsonl"), "utf8")).toBe("of somebody else");
  expect(readFileSync(join(out, "d.jsonl"), "utf8")).toBe(readFileSync(join(sources, "d.jsonl"), "utf8"));
  const again = await place.run(exporting);
  expect(again.code).toBe(3);
  expect(again.stdout).toContain("2 files were there already.");
  expect(again.stdout).toContain(`Left ${join(out, "a.jsonl")}: something else is there`);
  rmSync(join(out, "b.jsonl"), { recursive: true });
  expect((await place.run([...exporting, "--force"])).code).toBe(0);
  expect(readdirSync(out).sort()).toEqual(names);
  expect((await place.run(exporting)).stdout).toBe("4 files were there already.\n");
});

it("export --to original gives files of one name the same names each time", async () => {
  using place = new Place();
  const store = ["--store", `sqlite:${place.path("agent.db")}`];
  for (const [index, name] of ["one", "two", "three"].entries()) {
    mkdirSync(place.path(name));
    const id = `s${index}`;
    writeFileSync(join(place.path(name), "a.jsonl"), piHeader(id) + piSays(id, null, name));
    await place.run(["import", place.path(name), ...store]);
  }
  const exporting = ["export", "--all", "--to", "original", "--out", place.path("out"), ...store];
  await place.run(exporting);
  for (const key of ["pi:s1", "pi:s0", "pi:s2"])
    await place.json(["sessions", "append", key, "--role", "user", "--content", "More", ...store]);
  expect((await place.run(exporting)).stdout).toBe("3 files were there already.\n");
});

it("export --to original writes all files, although one has the name of a folder of another", async () => {
  using place = new Place();
  const file = place.path("one/a.jsonl");
  const other = place.path("two/a.jsonl/b.jsonl");
  for (const [path, id] of Object.entries({ [file]: "s1", [other]: "s2" })) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, piHeader(id) + piSays(id, null, id));
  }
  const store = ["--store", `sqlite:${place.path("agent.db")}`];
  await place.run(["import", place.path("one"), place.path("two"), ...store]);
  const out = place.path("out");
  const exporting = ["export", "--all", "--to", "original", "--out", out, ...store];
  const { exported } = (await place.json(exporting)) as { exported: { path: string; isExact: boolean }[] };
  expect(exported.map(({ isExact }) => isExact)).toEqual([true, true]);
  rmSync(out, { recursive: true });
  writeFileSync(out, "a file in place of the folder");
  expect((await place.run(exporting)).stderr).toContain(`Error: ${out} is not a folder`);
});
