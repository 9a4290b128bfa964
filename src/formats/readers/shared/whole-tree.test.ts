import { expect, test } from "vitest";
import { shownLeaf, type TreeNode, wholeTree } from "./whole-tree.ts";

function node(id: string, parent: string | null, at?: number): TreeNode {
  return { id, parent, at };
}

function order(nodes: readonly TreeNode[], leaf?: string): string {
  return wholeTree(nodes, leaf)
    .map(({ id }) => id)
    .join(" ");
}

test("The shown path comes first, then the other subtrees, oldest first, parents before children", () => {
  const nodes = [
    node("late2", "late", 9),
    node("late", "a", 8),
    node("a", null, 1),
    node("b", "a", 2),
    node("c", "b", 7),
    node("early", "b", 3),
    node("early2", "early", 4),
  ];
  expect(order(nodes, "c")).toBe("a b c early early2 late late2");
});

test("Siblings below the shown path come oldest first, whatever order the source has", () => {
  const nodes = [
    node("z", "a", 5),
    node("y", "a", 4),
    node("a", null, 1),
    node("x", "y", 6),
    node("w", "y", 5),
  ];
  expect(order(nodes, "a")).toBe("a y w x z");
});

test("A node without its parent and a second root begin separate subtrees", () => {
  const nodes = [
    node("orphan", "gone", 5),
    node("r2", null, 2),
    node("r1", null, 1),
    node("kid", "orphan", 6),
  ];
  expect(order(nodes, "r1")).toBe("r1 r2 orphan kid");
});

test("Every node of a cycle is kept once, before what hangs from the cycle", () => {
  const nodes = [node("tail", "p", 1), node("p", "q", 5), node("q", "p", 6), node("self", "self", 9)];
  expect(order(nodes)).toBe("p tail q self");
});

test("A leaf within a cycle does not turn forever", () => {
  expect(order([node("p", "q", 1), node("q", "p", 2)], "q")).toBe("p q");
});

test("Nodes that share an id are both kept", () => {
  const nodes = [node("a", null, 1), node("twin", "a", 2), node("twin", "a", 3), node("kid", "twin", 4)];
  expect(order(nodes, "kid")).toBe("a twin kid twin");
});

test("A path of a hundred thousand nodes needs no stack", () => {
  const nodes = Array.from({ length: 100_000 }, (_, index) =>
    node(`n${index}`, index === 0 ? null : `n${index - 1}`),
  );
  expect(wholeTree(nodes, undefined)).toHaveLength(100_000);
  expect(wholeTree(nodes, "n99999").at(-1)?.id).toBe("n99999");
  expect(shownLeaf(nodes, undefined)).toBe("n99999");
});

test("The newest leaf is the last one by time, and by position where no times are known", () => {
  expect(shownLeaf([node("a", null, 1), node("b", "a", 9), node("c", "a", 5)], undefined)).toBe("b");
  expect(shownLeaf([node("a", null), node("b", "a"), node("c", "a")], undefined)).toBe("c");
  expect(shownLeaf([], undefined)).toBeUndefined();
});
