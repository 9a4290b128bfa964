import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
