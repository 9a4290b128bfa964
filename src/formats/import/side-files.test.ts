import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { FormatDeclaration } from "../contract/format.ts";
import type { Surroundings } from "../contract/reader.ts";
import { inFolder } from "../sources/surroundings.ts";
import { SideFiles } from "./side-files.ts";

/** A format whose index gives every conversation a title, and the texts that were read of it. */
function indexed(): { readonly format: FormatDeclaration; readonly texts: string[] } {
  const texts: string[] = [];
  const read = (text: string) => {
    texts.push(text);
    return (start: { readonly sourceId: string }) => ({ ...start, title: text });
  };
  return { format: { name: "any", sideFile: { isShared: true, names: () => ["../index"], read } }, texts };
}

/** Transcripts in folders of their own, of which the user named `base`. */
function transcriptsIn(home: string, base: string, folders: readonly string[]): Surroundings[] {
  return folders.map((folder) => {
    mkdirSync(join(home, folder), { recursive: true });
    return inFolder(join(home, folder, "transcript"), 0, base);
  });
}

describe("a side file that transcripts share", () => {
  it("is read once, however many folders they are in", async () => {
    const home = tempFolder();
    writeFileSync(join(home, "index"), "A title");
    const { format, texts } = indexed();
    const files = new SideFiles();
    for (const around of transcriptsIn(home, home, ["a", "a", "b", "c"])) {
      const { describe: told } = await files.read(format, around);
      expect(told({ sourceId: "s" })).toEqual({ sourceId: "s", title: "A title" });
    }
    expect(texts).toEqual(["A title"]);
  });

  it("says nothing about those from whose folder it cannot be read, and is read for the others", async () => {
    const home = tempFolder();
    writeFileSync(join(home, "index"), "A title");
    const { format } = indexed();
    const files = new SideFiles();
    const [alone] = transcriptsIn(home, join(home, "a"), ["a"]);
    const titleOf = async (around: Surroundings | undefined): Promise<string | undefined> =>
      around && (await files.read(format, around)).describe({ sourceId: "s" }).title;
    expect(await titleOf(alone)).toBeUndefined();
    expect(await titleOf(transcriptsIn(home, home, ["b"])[0])).toBe("A title");
    expect(await titleOf(transcriptsIn(home, join(home, "c"), ["c"])[0])).toBeUndefined();
  });
});
