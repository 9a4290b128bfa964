import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import type { JsonObject } from "../util/json.ts";
import { depthWarnings, describeBranches } from "./branches.ts";
import { decodeTree, encodeTree } from "./codec.ts";
import { compare, pathOf, unreachable } from "./path.ts";
import { activeHead, type LogEnd, placeEntries, type UnplacedEntry } from "./place-entries.ts";
import {
  type Branch,
  branchByName,
  fold,
  foldAll,
  MAIN,
  type Mark,
  OFF_PATH,
  PLAIN,
  type Tree,
} from "./tree.ts";

const AT = "2026-01-01T00:00:00.000Z";
const EMPTY: LogEnd = { lastSeq: 0, last: null, tree: PLAIN };

function message(id: string): UnplacedEntry {
  return { id, kind: "message", at: AT };
}

function info(data: JsonObject): UnplacedEntry {
  return { id: `info-${data.type}-${data.name ?? ""}`, kind: "info", at: AT, data };
}

function branchAt(name: string, from: string | null, fromSeq: number, checkout = false): UnplacedEntry {
  return info({ type: "branch", name, from, from_seq: fromSeq, checkout });
}

function write(logEnd: LogEnd, entries: readonly UnplacedEntry[], branch?: string, maxDepth = 10): LogEnd {
  return placeEntries(logEnd, entries, branch, maxDepth).logEnd;
}

function branches({ tree, lastSeq, last }: LogEnd) {
  return describeBranches(tree, lastSeq, last);
}

/** A question and an answer. */
const ASKED = write(EMPTY, [message("q"), message("a1")]);

describe("a plain conversation", () => {
  it("needs no tree, however long it grows", () => {
    const { tree, lastSeq } = write(ASKED, [message("q2"), message("a2")]);
    expect(tree).toBe(PLAIN);
    expect(encodeTree(tree)).toBeNull();
    expect(pathOf(tree, MAIN, lastSeq)).toEqual([[1, 4]]);
  });

  it("marks only entries that are not messages", () => {
    const { places } = placeEntries(
      ASKED,
      [message("q2"), { ...info({ note: 1 }), kind: "custom" }],
      undefined,
      10,
    );
    expect(places.map(({ mark }) => mark)).toEqual([false, true]);
  });
});

describe("branches", () => {
  it("are siblings of equal depth if one question has ten answers", () => {
    let logEnd = ASKED;
    for (let n = 2; n <= 10; n++) logEnd = write(logEnd, [branchAt(`b${n}`, "q", 1, true), message(`a${n}`)]);
    const described = branches(logEnd);
    expect(described.map(({ depth }) => depth)).toEqual([1, ...Array.from({ length: 9 }, () => 2)]);
    expect(new Set(described.slice(1).map(({ parent }) => parent))).toEqual(new Set(["main"]));
  });

  it("start from nothing if they fork from no entry", () => {
    const logEnd = write(ASKED, [branchAt("anew", null, 0, true), message("x")]);
    expect(pathOf(logEnd.tree, logEnd.tree.active, logEnd.lastSeq)).toEqual([[4, 4]]);
    expect(branches(logEnd)[1]).toMatchObject({ forkedFrom: null, parent: "main", depth: 2, head: "x" });
  });

  it("can be written to without being checked out", () => {
    const logEnd = write(write(ASKED, [branchAt("b", "q", 1)]), [message("a2")], "b");
    expect(activeHead(logEnd)).toBe("a1");
    expect(branches(logEnd).map(({ head }) => head)).toEqual(["a1", "a2"]);
    const { places } = placeEntries(logEnd, [message("q2")], undefined, 10);
    expect(places[0]).toMatchObject({ parentId: "a1", branch: MAIN });
  });

  it("are refused at depth 11 and cause a warning from depth 8", () => {
    let logEnd = write(EMPTY, [message("e1")]);
    for (let depth = 2; depth <= 10; depth++) {
      const from = activeHead(logEnd) as string;
      const seq = depth === 2 ? 1 : logEnd.lastSeq;
      logEnd = write(logEnd, [branchAt(`d${depth}`, from, seq, true), message(`e${depth}`)]);
    }
    expect(branches(logEnd).at(-1)?.depth).toBe(10);
    const deeper = [branchAt("d11", "e10", logEnd.lastSeq)];
    expect(() => write(logEnd, deeper)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", field: "depth" }),
    );
    expect(write(logEnd, deeper, undefined, 11).tree.branches).toHaveLength(11);
    const warned = depthWarnings(branches(logEnd), { maxDepth: 10, warningDepth: 7 });
    expect(warned).toHaveLength(3);
    expect(warned[0]).toMatch(/d8 has depth 8 of at most 10/);
  });

  it.each<readonly [string, UnplacedEntry, string]>([
    ["a name that is taken", branchAt("main", "q", 1), "CONFLICT"],
    ["an entry that is not there yet", branchAt("b", "z", 9), "NOT_FOUND"],
    ["checking out what is not there", info({ type: "checkout", branch: 7, name: "x" }), "NOT_FOUND"],
    ["pruning main", info({ type: "prune", branches: [MAIN] }), "VALIDATION_ERROR"],
    ["undoing what is no compaction", info({ type: "undo-compaction", compaction: "c" }), "NOT_FOUND"],
  ])("are not changed by %s", (_, entry, code) => {
    expect(() => write(ASKED, [entry])).toThrow(expect.objectContaining({ code }));
  });

  it("cannot fork from an entry that is on no branch", () => {
    const logEnd = write(ASKED, [branchAt("b", "q", 1)]);
    expect(() => write(logEnd, [branchAt("c", "info-branch-b", 3)])).toThrow(
      expect.objectContaining({ code: "NOT_FOUND" }),
    );
  });

  it("keep the path of main if the log begins with a branch", () => {
    const logEnd = write(write(EMPTY, [branchAt("b", null, 0)]), [message("q")]);
    expect(pathOf(logEnd.tree, MAIN, logEnd.lastSeq)).toEqual([[2, 2]]);
  });
});

describe("flattening", () => {
  const forked = write(ASKED, [branchAt("b", "q", 1, true), message("a2"), message("q2")]);
  const flat = write(forked, [info({ type: "flatten", branch: 3, former: "former-main" })]);

  it("makes the checked-out path main and keeps the former main", () => {
    expect(branches(flat)).toMatchObject([
      { name: "main", parent: null, forkedFrom: null, depth: 1, entryCount: 3, active: true },
      { name: "former-main", parent: "main", forkedFrom: "q", depth: 2, entryCount: 1, head: "a1" },
    ]);
  });

  it("lets a branch fork from any entry of the new main at depth 2", () => {
    const logEnd = write(flat, [branchAt("x", "q", 1), branchAt("y", "q2", 5), branchAt("z", "a1", 2)]);
    expect(
      branches(logEnd)
        .slice(2)
        .map(({ parent, depth }) => [parent, depth]),
    ).toEqual([
      ["main", 2],
      ["main", 2],
      ["former-main", 3],
    ]);
  });

  it("only checks out if the path is already main", () => {
    const same = write(ASKED, [info({ type: "flatten", branch: MAIN, former: "former-main" })]);
    expect(branches(same)).toMatchObject([{ name: "main", active: true, entryCount: 2 }]);
  });
});

describe("pruning", () => {
  const grown = write(ASKED, [branchAt("b", "q", 1), message("a2"), message("q2")]);
  const shared = write(grown, [branchAt("c", "a2", 4), message("q3")]);

  it("drops the entries that only the pruned branch contains", () => {
    const logEnd = write(shared, [info({ type: "prune", branches: [3] })]);
    expect(unreachable(logEnd.tree, logEnd.lastSeq)).toEqual([[5, 5]]);
    const c = branchByName(logEnd.tree, "c") as Branch;
    expect(pathOf(logEnd.tree, c.id, logEnd.lastSeq)).toEqual([
      [1, 1],
      [4, 4],
      [7, 7],
    ]);
    expect(branches(logEnd)[1]).toMatchObject({ name: "c", parent: "main", depth: 2 });
  });

  it("counts each branch once however often it is pruned", () => {
    const prune = info({ type: "prune", branches: [3, 3, 6] });
    const logEnd = write(write(shared, [prune]), [prune]);
    expect(logEnd.tree.pruned).toEqual([3, 6]);
    expect(unreachable(logEnd.tree, logEnd.lastSeq)).toEqual([
      [4, 5],
      [7, 7],
    ]);
  });

  it("frees the name, and pruned entries cannot be reached again", () => {
    const logEnd = write(grown, [info({ type: "prune", branches: [3] })]);
    expect(() => write(logEnd, [message("x")], "b")).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
    expect(() => write(logEnd, [branchAt("x", "a2", 4)])).toThrow(
      expect.objectContaining({ code: "NOT_FOUND" }),
    );
    expect(write(logEnd, [branchAt("b", "q", 1)]).tree.branches).toHaveLength(3);
  });
});

describe("labels and compactions", () => {
  it("keeps the last label of an entry, and none after its removal", () => {
    const label = (text: string | null): UnplacedEntry => {
      return { id: `l-${text}`, kind: "label", at: AT, data: { entry: "q", label: text } };
    };
    const logEnd = write(ASKED, [label("one"), label("two")]);
    expect(logEnd.tree.labels).toEqual([["q", "two"]]);
    expect(write(logEnd, [label(null)]).tree.labels).toEqual([]);
    expect(activeHead(logEnd)).toBe("a1");
  });

  it("undoes a compaction once", () => {
    const logEnd = write(ASKED, [
      { id: "c", kind: "compaction", at: AT, data: { first_kept_seq: 2 } },
      info({ type: "undo-compaction", compaction: "c" }),
    ]);
    expect(logEnd.tree.compactions).toMatchObject([{ id: "c", seq: 3, firstKeptSeq: 2, undone: true }]);
    expect(() => write(logEnd, [info({ type: "undo-compaction", compaction: "c" })])).toThrow(
      expect.objectContaining({ code: "CONFLICT" }),
    );
  });
});

describe("a tree", () => {
  const forked = write(ASKED, [branchAt("b", "q", 1), { ...info({ note: 1 }), kind: "custom" }]).tree;

  it("does not change when the log continues, however it continues", () => {
    const held = structuredClone(forked);
    const toMain = fold(forked, mark(5, MAIN), "x");
    // As when the first was refused: both continue from the same entry.
    const later = fold(fold(forked, mark(6, MAIN), "x"), mark(7, 3), "y");
    expect(forked).toEqual(held);
    expect(fold(fold(forked, mark(5, MAIN), "x"), mark(8, 3), "y").runs).toHaveLength(held.runs.length + 2);
    expect(toMain.runs).toEqual([...held.runs, [5, MAIN]]);
    expect(later.runs).toEqual([...held.runs, [6, MAIN], [7, 3]]);
  });

  it("can be sent to another thread and written as JSON", () => {
    const tree = fold(forked, mark(5, MAIN), "x");
    for (const copy of [structuredClone(tree), JSON.parse(JSON.stringify(tree))]) {
      expect(copy).toEqual(tree);
      expect(fold(copy, mark(6, 3), "y")).toEqual(fold(tree, mark(6, 3), "y"));
    }
  });
});

function mark(seq: number, branch: number): Mark {
  return { seq, id: `e${seq}`, kind: "message", at: AT, branch, data: undefined };
}

describe("damage", () => {
  it("keeps the entries of a branch whose creation is unreadable", () => {
    const tree = fold(PLAIN, { seq: 4, id: "x", kind: "message", at: AT, branch: 3, data: undefined }, "a1");
    expect(pathOf(tree, 3, 4)).toEqual([[4, 4]]);
    expect(describeBranches(tree, 4, "x").map(({ name }) => name)).toEqual(["main", "recovered-3"]);
  });

  it("accepts any data in an entry", () => {
    const types = fc.constantFrom("branch", "checkout", "flatten", "prune", "undo-compaction", "other");
    const kinds = fc.constantFrom("info", "label", "compaction", "branch_summary", "custom");
    const data = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: types, name: fc.jsonValue(), branch: fc.jsonValue(), branches: fc.jsonValue() }),
      fc.record({
        type: types,
        from_seq: fc.jsonValue(),
        former: fc.string(),
        branches: fc.constant([0, -1, 1]),
      }),
    );
    const entry = fc.record({ kind: kinds, data, branch: fc.integer({ min: -1, max: 3 }) });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 10 }), (entries) => {
        const marks = entries.map(({ kind, data, branch }, index): [Mark, string | null] => [
          { seq: index + 1, id: `e${index + 1}`, kind, at: AT, branch, data: data as JsonObject },
          index === 0 ? null : `e${index}`,
        ]);
        const tree = marks.reduce((tree, mark) => fold(tree, ...mark), PLAIN);
        expect(foldAll(PLAIN, marks)).toEqual(tree);
        use(tree, entries.length);
        expect(branchByName(tree, "main")).toBeDefined();
      }),
    );
  });

  it("terminates with any origins, even a cycle", () => {
    const ids = [0, 1, 2, 3, 4];
    const anyBranch = (id: number) =>
      fc.record({
        id: fc.constant(id),
        name: fc.constant(`b${id}`),
        createdAt: fc.constant(null),
        origin: fc.option(fc.constantFrom(...ids, OFF_PATH, 99)),
        forkSeq: fc.integer({ min: 0, max: 20 }),
        forkedFrom: fc.constant(null),
        head: fc.constant(null),
      });
    const trees: fc.Arbitrary<Tree> = fc.record({
      active: fc.constantFrom(...ids),
      trunk: fc.constantFrom(...ids),
      current: fc.constantFrom(...ids, OFF_PATH),
      branches: fc.tuple(...ids.map(anyBranch)),
      pruned: fc.subarray(ids),
      runs: fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom(...ids, OFF_PATH))),
      others: fc.constant([]),
      compactions: fc.constant([]),
      labels: fc.constant([]),
    });
    fc.assert(fc.property(trees, (tree) => use(tree, 20)));
  });

  it("never accepts garbage as a tree", () => {
    const members = fc.option(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())), { nil: undefined });
    const names = [
      "active",
      "trunk",
      "current",
      "branches",
      "pruned",
      "runs",
      "others",
      "compactions",
      "labels",
    ];
    const nearly = fc.record(Object.fromEntries(names.map((name) => [name, members])));
    const changed = fc
      .tuple(fc.constantFrom(...names), fc.jsonValue())
      .map(([name, value]) => ({ ...PLAIN, [name]: value }));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), nearly, changed), (value) => {
        const tree = decodeTree(value);
        if (tree !== undefined) use(tree, 20);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("very many branches", () => {
  it("are described and pruned in a time that grows with their number", () => {
    const count = 50_000;
    const ids = Array.from({ length: count }, (_, index) => index + 2);
    const tree: Tree = {
      ...PLAIN,
      branches: [
        ...PLAIN.branches,
        ...ids.map((id) => ({
          ...(PLAIN.branches[0] as Branch),
          id,
          name: `b${id}`,
          origin: MAIN,
          forkSeq: 1,
        })),
      ],
      runs: [[1, MAIN], ...ids.map((id): [number, number] => [id, id])],
    };
    const startMs = performance.now();
    const described = describeBranches(tree, count + 1, "x");
    expect(described.every(({ entryCount }) => entryCount === 1)).toBe(true);
    expect(unreachable({ ...tree, pruned: ids }, count + 1)).toHaveLength(count);
    expect(performance.now() - startMs).toBeLessThan(5000);
  });
});

/** Everything that reads a tree. */
function use(tree: Tree, lastSeq: number): void {
  describeBranches(tree, lastSeq, null);
  unreachable(tree, lastSeq);
  for (const { id } of tree.branches) compare(tree, id, tree.trunk, lastSeq);
}
