import { describe, expect, it } from "vitest";
import type { BranchView } from "../../../../src/gateway/wire/rest.ts";
import { depthState } from "./depth.ts";
import { layoutBranches } from "./graph.ts";

const branch = (name: string, parent: string | null, more: Partial<BranchView> = {}): BranchView => ({
  name,
  parent,
  head: `${name}-head`,
  forkedFrom: parent === null ? null : `${parent}-1`,
  depth: parent === null ? 1 : 2,
  entryCount: 3,
  active: false,
  warning: null,
  firstWords: null,
  ...more,
});

describe("layoutBranches", () => {
  it("puts children below their parent, in the order of the list, with the depth as column", () => {
    const graph = layoutBranches([
      branch("main", null),
      branch("a", "main"),
      branch("b", "main"),
      branch("a1", "a", { depth: 3 }),
    ]);
    expect(graph.rows.map(({ branch, column, parentRow }) => [branch.name, column, parentRow])).toEqual([
      ["main", 0, null],
      ["a", 1, 0],
      ["a1", 2, 1],
      ["b", 1, 0],
    ]);
    expect(graph.columns).toBe(3);
  });

  it("marks the path to the checked-out branch, and the trunk only as far as it goes", () => {
    const graph = layoutBranches([
      branch("main", null),
      branch("a", "main"),
      branch("b", "main", { active: true }),
      branch("c", "main"),
    ]);
    expect(graph.rows.filter(({ onPath }) => onPath).map(({ branch }) => branch.name)).toEqual(["main", "b"]);
    expect(graph.trunks).toEqual([{ column: 0, from: 0, to: 3, strongTo: 2 }]);
  });

  it("shows branches whose parent was pruned, and those whose parents form a circle", () => {
    const graph = layoutBranches([
      branch("main", null),
      branch("orphan", "gone"),
      branch("x", "y"),
      branch("y", "x", { active: true }),
    ]);
    expect(graph.rows.map(({ branch, parentRow }) => [branch.name, parentRow])).toEqual([
      ["main", null],
      ["orphan", null],
      ["x", null],
      ["y", 2],
    ]);
  });

  it("labels siblings with the words where they differ", () => {
    const words = (firstWords: string) => ({ firstWords, forkedFrom: "q" });
    const { rows } = layoutBranches([
      branch("main", null),
      branch("a", "main", words("Please write a function that sorts names")),
      branch("b", "main", words("Please write a function which sorts numbers")),
      branch("c", "main", words("Something else")),
    ]);
    expect(rows.map(({ label }) => label)).toEqual([
      "",
      "… that sorts names",
      "… which sorts numbers",
      "Something else",
    ]);
  });

  it("shows equal words, and words that another sibling continues, whole", () => {
    const words = (firstWords: string) => ({ firstWords, forkedFrom: "q" });
    const { rows } = layoutBranches([
      branch("main", null),
      branch("a", "main", words("Try that once again please")),
      branch("b", "main", words("Try that once again please")),
      branch("c", "main", words("Try that once again please, slowly")),
    ]);
    expect(rows.map(({ label }) => label)).toEqual([
      "",
      "Try that once again please",
      "Try that once again please",
      "… please, slowly",
    ]);
  });

  it("places a thousand branches, and a chain of them, once each", () => {
    const many = [branch("main", null)];
    for (let i = 0; i < 1000; i++) many.push(branch(`b${i}`, i % 3 === 0 ? "main" : `b${i - 1}`));
    const { rows, trunks } = layoutBranches(many);
    expect(new Set(rows.map(({ row }) => row)).size).toBe(1001);
    expect(trunks.length).toBeLessThan(1001);
  });
});

describe("depthState", () => {
  const view = (depth: number) => ({
    branches: [branch("main", null), branch("deep", "main", { depth })],
    warnings: [],
    limits: { depthMax: 10, depthWarning: 7 },
  });

  it("is fine up to the warning depth, amber beyond it and red at the limit", () => {
    expect(depthState(view(7)).level).toBe("fine");
    expect(depthState(view(8))).toMatchObject({ level: "warning", depth: 8, max: 10 });
    expect(depthState(view(10)).level).toBe("limit");
    expect(depthState(view(12)).sentence).toMatch(/flatten or prune/);
  });
});
