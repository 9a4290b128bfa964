import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
    exported: [{ file: "deep/a.jsonl", path, bytes: text.length, isExact: true, notes: [] }],
  });
  expect(readFileSync(path, "utf8")).toBe(text);
  const again = await place.run(["export", "pi:s1", "--to", "original", "--out", out, ...store]);
  expect(again.code).not.toBe(0);
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
