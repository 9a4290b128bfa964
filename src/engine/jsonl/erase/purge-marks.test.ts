import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { systemIo } from "../../../disk/file-io.ts";
import { openStore } from "../../../store/open.ts";
import { MARKS_FILE } from "../folder/names.ts";
import { PurgeMarks } from "./purge-marks.ts";

const contentOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);

describe("marks of purged conversations", () => {
  it("are returned in order, each once, from a mark on", () => {
    const marks = new PurgeMarks(systemIo, tempFolder());
    marks.add(["c", "a", "c"]);
    marks.add(["b", "a"]);
    expect(contentOf(marks.path)).toHaveLength(3);
    expect(marks.from("", 9)).toEqual(["a", "b", "c"]);
    expect(marks.from("b", 1)).toEqual(["b"]);
    expect(marks.from("d", 9)).toEqual([]);
  });

  it("are read again when another process has added one", () => {
    const folder = tempFolder();
    const [one, other] = [new PurgeMarks(systemIo, folder), new PurgeMarks(systemIo, folder)];
    one.add(["a"]);
    expect(other.from("", 9)).toEqual(["a"]);
    one.add(["b"]);
    expect(other.from("", 9)).toEqual(["a", "b"]);
  });

  it("replace a line that a crash cut off", () => {
    const folder = tempFolder();
    const marks = new PurgeMarks(systemIo, folder);
    marks.add(["a"]);
    appendFileSync(marks.path, `{"purged":"${"x".repeat(200)}`);
    marks.add(["b"]);
    expect(new PurgeMarks(systemIo, folder).from("", 9)).toEqual(["a", "b"]);
    expect(marks.unreadable()).toEqual([]);
    expect(contentOf(marks.path)).toHaveLength(2);
  });

  it("that are damaged are reported, and set aside by a repair", async () => {
    const folder = join(tempFolder(), "store");
    await using store = await openStore(`jsonl:${folder}`, { onProblem: () => {} });
    const [one, two] = [await store.create(), await store.create()];
    for (const { id } of [one, two]) await store.purge(id, { force: true });
    const path = join(folder, MARKS_FILE);
    const [first, second] = contentOf(path) as [string, string];
    const damaged = first.replace(/[0-9a-f]{2}"/, 'zz"');
    writeFileSync(path, `${damaged}\n${second}\n`);
    const finding = { code: "bad-mark", source: path, line: 1 };
    expect((await store.verify()).findings).toMatchObject([finding]);
    const { repaired, findings } = await store.repair();
    expect(repaired).toMatchObject([finding]);
    expect(findings).toEqual([]);
    expect(contentOf(path)).toEqual([second]);
    const [aside] = readdirSync(folder).filter((name) => name.startsWith(`${MARKS_FILE}.bad-`));
    expect(contentOf(join(folder, aside as string))).toEqual([damaged, second]);
    expect(await store.wasPurged(two.id)).toBe(true);
  });
});
