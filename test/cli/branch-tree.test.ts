import { describe, expect, it } from "vitest";
import type { Output } from "../../src/cli/output.ts";
import { wrapHard } from "../../src/cli/terminal/wrap.ts";
import { treeRows } from "../../src/cli/view/branch-tree.ts";
import { branchTable, warningLines } from "../../src/cli/view/branch-view.ts";
import type { BranchInfo } from "../../src/store/index.ts";
import { widthOf } from "../../src/util/text-width.ts";

function branch(
  name: string,
  parent: string | null,
  depth: number,
  more: Partial<BranchInfo> = {},
): BranchInfo {
  const warning = depth > 7 ? `Branch ${name} has depth ${depth}` : null;
  const nothing = { head: null, forkedFrom: null, createdAt: null };
  return { name, parent, depth, entryCount: 12_345, active: false, warning, ...nothing, ...more };
}

/** Each branch below the one before, with a side branch at every level. */
function chain(names: readonly string[]): BranchInfo[] {
  return names.flatMap((name, index) => {
    const parent = names[index - 1] ?? null;
    const own = branch(name, parent, index + 1, { active: index === names.length - 1 });
    return parent === null ? [own] : [own, branch(`side-${index}`, parent, index + 1)];
  });
}

function screen(columns: number): Output {
  const nothing = { lines: () => {}, page: async () => {}, json: () => {}, note: () => {} };
  return { columns, ...nothing, style: (_, text) => text };
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  short: Array.from({ length: 12 }, (_, index) => `b${index + 1}`),
  long: Array.from({ length: 12 }, (_, index) => `${index + 1}-${"long-".repeat(50)}`),
  wide: Array.from({ length: 12 }, (_, index) => `${index + 1}会議の議事録とその他の長い長い題名です`),
  hostile: Array.from({ length: 12 }, (_, index) => `${index + 1}a\u001b[2Jb\u202ec👨‍👩‍👧`),
};

describe("a drawn tree", () => {
  it("has every branch below its parent", () => {
    const rows = treeRows(chain(["main", "a", "b"]), 3);
    expect(rows.map(({ branch, lines }) => lines + branch.name)).toEqual([
      "main",
      "├─ a",
      "│  ├─ b",
      "│  └─ side-2",
      "└─ side-1",
    ]);
  });

  it("shows branches whose parents are unknown, their own, or a cycle", () => {
    const odd = [
      branch("main", null, 1),
      branch("lost", "nobody", 2),
      branch("own", "own", 2),
      branch("x", "y", 2),
      branch("y", "x", 2),
    ];
    expect(treeRows(odd, 3).map(({ branch }) => branch.name)).toEqual(["main", "lost", "own", "x", "y"]);
  });

  it("may be deeper than the call stack", () => {
    const deep = chain(Array.from({ length: 20_000 }, (_, index) => `b${index}`));
    expect(treeRows(deep, 0)).toHaveLength(deep.length);
    const lines = branchTable(screen(80), deep, () => "just now");
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([]);
  });

  it.each(Object.entries(NAMES))("with %s names at depth 12 fits every terminal", (_, names) => {
    const branches = chain(names);
    for (let columns = 10; columns <= 130; columns++) {
      const lines = branchTable(screen(columns), branches, () => "12 days ago");
      expect(lines).toHaveLength(branches.length + 1);
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
      expect(lines.join("")).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
      // Part of every name is visible, and which branch is checked out.
      const drawn = lines.slice(1).map((line) => line.replace(/^[* ] [│├└─ ]*/u, ""));
      expect(drawn.filter((name) => !/^(b?\d|s)/.test(name))).toEqual([]);
      expect(lines.filter((line) => line.startsWith("* "))).toHaveLength(1);
    }
  });

  it("keeps its shape if the terminal is wide enough", () => {
    const depths = (columns: number): string[] =>
      branchTable(screen(columns), chain(NAMES.short ?? []), () => "just now");
    expect(depths(80).some((line) => line.includes("└─ "))).toBe(true);
    expect(depths(40).some((line) => line.includes("└"))).toBe(true);
    expect(depths(20).some((line) => line.includes("└"))).toBe(false);
    expect(depths(20).at(0)).toMatch(/DEPTH$/);
  });
});

describe("warnings", () => {
  it("fit the terminal, the first three and how many more", () => {
    const warnings = chain(NAMES.wide ?? []).flatMap(({ warning }) => (warning === null ? [] : [warning]));
    const lines = warningLines(screen(40), warnings);
    expect(lines.filter((line) => widthOf(line) > 40)).toEqual([]);
    expect(lines.filter((line) => line.startsWith("Warning: "))).toHaveLength(4);
    expect(lines.at(-1)).toBe("Warning: 7 more branches are as deep");
  });

  it("are wrapped between words, and inside words that are too long", () => {
    expect(wrapHard("one two three", 7)).toEqual(["one two", "three"]);
    expect(wrapHard("abcdefghij k", 4)).toEqual(["abcd", "efgh", "ij k"]);
    expect(wrapHard("日本語日本語", 4)).toEqual(["日本", "語日", "本語"]);
    expect(wrapHard("日本", 1).join("")).toBe("日本");
    expect(wrapHard("one two", Number.POSITIVE_INFINITY)).toEqual(["one two"]);
  });
});
