import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { surroundings } from "../../../../test/support/samples/recording-sink.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import type { Surroundings } from "../../contract/reader.ts";
import { inFolder } from "../../sources/surroundings.ts";
import { FoundBefore } from "./found-before.ts";

/** What is found in files, and which of them were looked into. */
function looking(found: FoundBefore, around: Surroundings) {
  const looked: string[] = [];
  const look = (name: string, what = "text"): Promise<string | undefined> =>
    found.in(name, around, what, async () => {
      looked.push(name);
      return (await around.read(name))?.toString();
    });
  return { looked, look };
}

describe("what was found in a file", () => {
  it("is found again without looking, also when it was nothing", async () => {
    const { look, looked } = looking(new FoundBefore(), surroundings("/fork", { a: "A" }));
    for (const _ of [1, 2]) expect([await look("a"), await look("b")]).toEqual(["A", undefined]);
    expect(looked).toEqual(["a", "b"]);
    await look("a", "something else");
    expect(looked).toEqual(["a", "b", "a"]);
  });

  it("is looked for again when the file was changed, or appeared", async () => {
    const folder = tempFolder();
    const around = inFolder(join(folder, "fork"), 0, folder);
    const { look, looked } = looking(new FoundBefore(), around);
    expect(await look("a")).toBeUndefined();
    writeFileSync(join(folder, "a"), "One");
    for (const _ of [1, 2]) expect(await look("a")).toBe("One");
    appendFileSync(join(folder, "a"), ", two");
    expect(await look("a")).toBe("One, two");
    expect(looked).toHaveLength(3);
  });

  it("is looked for again when the file was changed while it was read", async () => {
    const files = { a: "before" };
    const around = surroundings("/fork", files);
    const found = new FoundBefore();
    const change = async (): Promise<string> => {
      const { a } = files;
      files.a = "after";
      return a;
    };
    expect(await found.in("a", around, "text", change)).toBe("before");
    expect(await found.in("a", around, "text", change)).toBe("after");
  });

  it("is forgotten when more was found than fits, beginning with what was used least recently", async () => {
    const around = surroundings("/fork", { a: "A", b: "B", c: "C", large: "x".repeat(100) });
    const { look, looked } = looking(new FoundBefore(20), around);
    for (const name of ["a", "b", "a", "c", "a", "b", "large", "large"]) await look(name);
    expect(looked).toEqual(["a", "b", "c", "b", "large", "large"]);
  });
});
