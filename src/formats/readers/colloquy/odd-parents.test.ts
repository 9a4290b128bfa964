/** Parents that cannot be right are called the same by an import and by a store that reads the file in place. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import { importConversations } from "../../import/run.ts";

type Parents = readonly (readonly [id: string, parent: string | null | undefined])[];

function folderWith(parents: Parents): string {
  const folder = join(tempFolder(), "sessions");
  mkdirSync(folder);
  const lines = [
    { _type: "metadata", version: 2, tree_enabled: true, key: "web:a" },
    ...parents.map(([id, parent_id]) => ({ role: "user", content: `of ${id}`, id, parent_id })),
  ];
  writeFileSync(join(folder, "a.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return folder;
}

const CIRCLE: Parents = [
  ["a", null],
  ["b", "c"],
  ["c", "d"],
  ["d", "b"],
];

const CASES: readonly (readonly [string, Parents, readonly string[], Record<string, number>])[] = [
  ["a cycle", CIRCLE, ["cycle", "cycle"], { cycle: 2 }],
  [
    "a cycle through a line that names no parent",
    [
      ["a", "c"],
      ["b", undefined],
      ["c", "b"],
    ],
    ["cycle"],
    { cycle: 1 },
  ],
  [
    "an entry that follows itself",
    [
      ["a", null],
      ["b", "b"],
    ],
    ["cycle"],
    { cycle: 1 },
  ],
  [
    "a parent that comes later",
    [
      ["a", null],
      ["b", "c"],
      ["c", "a"],
    ],
    ["late-parent"],
    { "late-parent": 1 },
  ],
  [
    "a parent that does not exist",
    [
      ["a", null],
      ["b", "z"],
    ],
    ["dangling-parent"],
    { "missing-parent": 1 },
  ],
];

describe.each(CASES)("%s", (_, parents, codes, flags) => {
  it("is called that, and loses no message", async () => {
    const folder = folderWith(parents);
    await using place = await openStore(`jsonl:${folder}`, { readonly: true, onProblem: () => {} });
    const { findings } = await place.validate();
    expect(findings.map(({ code }) => code)).toEqual(codes);
    await using store = await openStore("ephemeral:");
    const { imported, messages } = await importConversations(store, [folderWith(parents)]);
    expect([imported[0]?.flags, messages]).toEqual([flags, parents.length]);
    const words = async (from: typeof store): Promise<unknown[]> =>
      (await (await from.get("web:a"))?.messages())?.items.map(({ message }) => message.content) ?? [];
    expect(await words(store)).toEqual(await words(place));
  });
});

it("says which entries are concerned, by line", async () => {
  await using store = await openStore(
    `jsonl:${folderWith([...CIRCLE, ["e", "e"], ["f", "g"], ["g", "a"]])}`,
    {
      readonly: true,
      onProblem: () => {},
    },
  );
  const { findings } = await store.validate();
  expect(findings.map(({ line, message }) => [line, message.replace(/ \(bytes.*/, "")])).toEqual([
    [3, "it follows c, which leads back to it"],
    [4, "it follows d, which leads back to it"],
    [6, "it follows itself"],
    [7, "it follows g, which comes after it"],
  ]);
});

it("does not report cycles where they are allowed", async () => {
  const tree = { allowCircularReferences: true };
  const folder = folderWith(CIRCLE);
  await using store = await openStore("ephemeral:", { tree });
  const { imported, unresolved } = await importConversations(store, [folder]);
  expect([imported[0]?.flags, unresolved]).toEqual([{}, 0]);
  await using place = await openStore(`jsonl:${folder}`, { tree, onProblem: () => {} });
  expect((await place.validate()).findings).toEqual([]);
  expect((await place.migrateLegacy()).skipped).toEqual([]);
});
