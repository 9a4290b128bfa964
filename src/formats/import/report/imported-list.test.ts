import { expect, it } from "vitest";
import type { Imported } from "../report.ts";
import { ImportedList } from "./imported-list.ts";

function item(id: string, added: number, flags: Imported["flags"] = {}): Imported {
  const about = { key: id, source: `${id}.jsonl`, format: "pi", sourceId: id, title: null };
  return { id, ...about, messages: added, branches: 1, leaves: 1, added, flags };
}

it("lists the first conversations and counts all of them once, whichever files they come from", () => {
  const list = new ImportedList(2);
  for (let pass = 0; pass < 2; pass++) {
    for (const id of ["a", "b", "c", "d", "e"]) list.add(item(id, id === "e" ? 0 : 1));
  }
  expect(list.size).toBe(5);
  const { imported, ...counts } = list.build();
  expect(imported).toMatchObject([
    { id: "a", added: 2 },
    { id: "b", added: 2 },
  ]);
  expect(counts).toEqual({ conversations: 5, grown: 4, flags: {} });
});

it("counts the conversations that have a flag, in the list and beyond it", () => {
  const list = new ImportedList(1);
  for (const id of ["a", "b", "c"]) list.add(item(id, 1, { "missing-parent": 2, deep: 1 }));
  for (const id of ["a", "b"]) list.add(item(id, 0, { "missing-parent": 1, deep: 1 }));
  for (const id of ["a", "c", "unknown"]) list.rename(id, `${id}~`);
  expect(list.build()).toMatchObject({
    imported: [{ key: "a~", flags: { "missing-parent": 3, deep: 1, "twin-key": 1 } }],
    conversations: 3,
    grown: 3,
    flags: { deep: 3, "missing-parent": 3, "twin-key": 2 },
  });
});
