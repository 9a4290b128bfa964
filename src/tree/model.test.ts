/** The tree against a model that does what the tree never does: follow parents. */

import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import type { JsonObject } from "../util/json.ts";
import { describeBranches } from "./branches.ts";
import { decodeTree, encodeTree } from "./codec.ts";
import { compare, messagesIn, pathOf, type SeqRange, unreachable } from "./path.ts";
import { type LogEnd, placeEntries, type TreePlace, type UnplacedEntry } from "./place-entries.ts";
import { fold, foldAll, MAIN, type Mark, OFF_PATH, PLAIN, type Tree } from "./tree.ts";

type ModelEntry = UnplacedEntry & TreePlace;

interface NaiveBranch {
  readonly id: number;
  name: string;
  readonly forkedFrom: string | null;
  head: string | null;
  pruned: boolean;
}

const MAX_DEPTH = 4;
const AT = "2026-01-01T00:00:00.000Z";

/** What a tree should say, found the slow way. */
class Naive {
  readonly lines: ModelEntry[] = [];
  readonly branches: NaiveBranch[] = [
    { id: MAIN, name: "main", forkedFrom: null, head: null, pruned: false },
  ];
  active: number = MAIN;
  trunk: number = MAIN;

  get live(): NaiveBranch[] {
    return this.branches.filter(({ pruned }) => !pruned);
  }

  branch(id: number): NaiveBranch {
    return this.branches.find((branch) => branch.id === id) as NaiveBranch;
  }

  line(id: string): ModelEntry {
    return this.lines.find((line) => line.id === id) as ModelEntry;
  }

  /** From the first entry to this one. */
  chain(id: string | null): ModelEntry[] {
    if (id === null) return [];
    const line = this.line(id);
    return [...this.chain(line.parentId), line];
  }

  path(branch: number): ModelEntry[] {
    return this.chain(this.branch(branch).head);
  }

  get reachable(): Set<number> {
    return new Set(this.live.flatMap(({ id }) => this.path(id).map(({ seq }) => seq)));
  }

  /** `main` owns all of its path, whatever branch wrote it. */
  owner(entry: string | null): number {
    const onMain = entry === null || this.path(this.trunk).some(({ id }) => id === entry);
    return onMain ? this.trunk : this.line(entry).branch;
  }

  /** A branch that `main` was made from starts after the last entry that it contributed. */
  forkedFrom(id: number): string | null {
    if (id === this.trunk) return null;
    const given = this.path(this.trunk).filter(({ branch }) => branch === id);
    return given.at(-1)?.id ?? this.branch(id).forkedFrom;
  }

  parent(id: number): number | null {
    return id === this.trunk ? null : this.liveOwner(this.forkedFrom(id));
  }

  liveOwner(entry: string | null): number {
    const owner = this.owner(entry);
    return this.branch(owner).pruned ? (this.parent(owner) ?? this.trunk) : owner;
  }

  depth(id: number): number {
    const parent = this.parent(id);
    return parent === null ? 1 : this.depth(parent) + 1;
  }

  own(id: number): number {
    const main = this.path(this.trunk);
    if (id === this.trunk) return main.length;
    return this.lines.filter((line) => line.branch === id && !main.includes(line)).length;
  }

  describe(): object[] {
    const others = this.live.filter(({ id }) => id !== this.trunk);
    return [this.branch(this.trunk), ...others].map(({ id, name, head }) => {
      const parent = this.parent(id);
      return {
        name,
        head,
        forkedFrom: this.forkedFrom(id),
        parent: parent === null ? null : this.branch(parent).name,
        depth: this.depth(id),
        entryCount: this.own(id),
        active: id === this.active,
        createdAt: id === MAIN ? null : AT,
      };
    });
  }
}

interface Step {
  readonly type:
    | "append"
    | "appendTo"
    | "branch"
    | "edit"
    | "checkout"
    | "flatten"
    | "prune"
    | "replace"
    | "compact";
  readonly pick: number;
  readonly count: number;
  readonly checkout: boolean;
}

/** Does the same to the tree and to the model. */
class Run {
  readonly naive = new Naive();
  logEnd: LogEnd = { lastSeq: 0, last: null, tree: PLAIN };
  #names = 0;

  go(step: Step): void {
    const { naive } = this;
    const picked = naive.branches[step.pick % naive.branches.length] as NaiveBranch;
    const steps: Record<Step["type"], () => unknown> = {
      append: () => this.#write(messages(step.count)),
      appendTo: () => this.#write(messages(step.count), picked.pruned ? "NOT_FOUND" : null, picked.name),
      compact: () => this.#write([{ kind: "compaction", data: { first_kept_seq: 1 } }]),
      branch: () => this.#branch(step, []),
      edit: () => this.#branch({ ...step, checkout: true }, messages(step.count)),
      checkout: () => this.#checkout(picked),
      flatten: () => this.#flatten(),
      prune: () => this.#prune(picked),
      replace: () => this.#replace(step.count),
    };
    steps[step.type]();
  }

  #branch({ pick, checkout }: Step, then: readonly Piece[]): void {
    const { naive } = this;
    const line = naive.lines[pick % (naive.lines.length + 1)];
    const from = line?.id ?? null;
    const data = { type: "branch", name: this.#name(), from, from_seq: line?.seq ?? 0, checkout };
    const isThere = line === undefined || naive.reachable.has(line.seq);
    const tooDeep = isThere && naive.depth(naive.liveOwner(from)) + 1 > MAX_DEPTH;
    const code = isThere ? (tooDeep ? "VALIDATION_ERROR" : null) : "NOT_FOUND";
    this.#write([{ kind: "info", data }, ...then], code);
  }

  #checkout({ id, name, pruned }: NaiveBranch): void {
    const data = { type: "checkout", branch: id, name };
    if (this.#write([{ kind: "info", data }], pruned ? "NOT_FOUND" : null)) this.naive.active = id;
  }

  #flatten(): void {
    const { naive } = this;
    const former = this.#name();
    this.#write([{ kind: "info", data: { type: "flatten", branch: naive.active, former } }]);
    if (naive.active === naive.trunk) return;
    naive.branch(naive.trunk).name = former;
    naive.branch(naive.active).name = "main";
    naive.trunk = naive.active;
  }

  #prune(branch: NaiveBranch): void {
    const { active, trunk } = this.naive;
    const data = { type: "prune", branches: [branch.id] };
    const code = branch.id === active || branch.id === trunk ? "VALIDATION_ERROR" : null;
    if (this.#write([{ kind: "info", data }], code)) branch.pruned = true;
  }

  #replace(count: number): void {
    const { naive } = this;
    const former = this.#name();
    const data = { type: "branch", name: "main", from: null, from_seq: 0, checkout: true, former };
    this.#write([{ kind: "info", data }, ...messages(count)]);
    naive.branch(naive.trunk).name = former;
    naive.trunk = naive.active;
  }

  /** False when the tree refused it, as it should with that code. */
  #write(pieces: readonly Piece[], code: string | null = null, branchName?: string): boolean {
    const entries = pieces.map(({ kind, data }, index): UnplacedEntry => {
      return { id: `e${this.logEnd.lastSeq + index + 1}`, kind, at: AT, data };
    });
    const place = () => placeEntries(this.logEnd, entries, branchName, MAX_DEPTH);
    if (code !== null) {
      expect(place).toThrow(expect.objectContaining({ code }));
      return false;
    }
    const { places, logEnd } = place();
    this.#follow(
      entries.map((entry, index) => ({ ...entry, ...(places[index] as TreePlace) })),
      branchName,
    );
    this.logEnd = logEnd;
    return true;
  }

  #follow(lines: readonly ModelEntry[], branchName: string | undefined): void {
    const { naive } = this;
    let target = naive.live.find(({ name }) => name === branchName) ?? naive.branch(naive.active);
    for (const line of lines) {
      const { id, seq, data } = line;
      naive.lines.push(line);
      if (data?.type === "branch") {
        const from = data.from as string | null;
        target = { id: seq, name: String(data.name), forkedFrom: from, head: from, pruned: false };
        naive.branches.push(target);
        if (data.checkout === true) naive.active = seq;
      }
      if (line.branch === OFF_PATH) continue;
      expect([line.branch, line.parentId]).toEqual([target.id, target.head]);
      target.head = id;
    }
  }

  #name(): string {
    return `n${++this.#names}`;
  }

  check(): void {
    const { naive } = this;
    const { tree, lastSeq, last } = this.logEnd;
    for (const { id } of naive.branches) {
      expect(seqs(pathOf(tree, id, lastSeq))).toEqual(naive.path(id).map(({ seq }) => seq));
    }
    for (const { id } of naive.live) {
      const count = naive.path(id).filter(({ kind }) => kind === "message").length;
      expect(messagesIn(tree, pathOf(tree, id, lastSeq))).toBe(count);
    }
    expect(describeBranches(tree, lastSeq, last)).toEqual(naive.describe());
    const onPath = naive.lines.filter(({ branch }) => branch !== OFF_PATH).map(({ seq }) => seq);
    const gone = onPath.filter((seq) => !naive.reachable.has(seq));
    expect(seqs(unreachable(tree, lastSeq))).toEqual(gone);
    expect(stepwise(naive.lines)).toEqual(tree);
    expect(stepwise(naive.lines, ({ mark }) => mark)).toEqual(tree);
    expect(foldAll(PLAIN, withBefore(naive.lines))).toEqual(tree);
    this.#checkParts();
  }

  /** Counted in two parts, as by a process that comes back to a log that others have written to. */
  #checkParts(): void {
    const marks = withBefore(this.naive.lines).filter(([{ mark }]) => mark);
    const half = foldAll(PLAIN, marks.slice(0, marks.length >> 1));
    const held = structuredClone(half);
    expect(foldAll(half, marks.slice(marks.length >> 1))).toEqual(this.logEnd.tree);
    expect(half).toEqual(held);
  }

  checkComparisons(): void {
    const { naive } = this;
    const { tree, lastSeq } = this.logEnd;
    for (const { id: a } of naive.live) {
      for (const { id: b } of naive.live) {
        const [pathA, pathB] = [naive.path(a), naive.path(b)].map((path) => path.map(({ seq }) => seq)) as [
          number[],
          number[],
        ];
        const common = pathA.filter((seq) => pathB.includes(seq)).at(-1) ?? 0;
        const found = compare(tree, a, b, lastSeq);
        expect([found.commonSeq, seqs(found.a), seqs(found.b)]).toEqual([
          common,
          pathA.filter((seq) => seq > common),
          pathB.filter((seq) => seq > common),
        ]);
      }
    }
  }

  /** What a sweep leaves is enough to count the tree again. */
  checkSwept(): void {
    const { tree, lastSeq, last } = this.logEnd;
    const gone = new Set(seqs(unreachable(tree, lastSeq)));
    const begins = new Set(tree.runs.map(([seq]) => seq));
    const left = this.naive.lines.flatMap((line): ModelEntry[] => {
      if (!gone.has(line.seq)) return [line];
      return begins.has(line.seq) ? [{ ...line, kind: "removed", data: {} }] : [];
    });
    const again = stepwise(left);
    expect(describeBranches(again, lastSeq, last)).toEqual(describeBranches(tree, lastSeq, last));
    expect([again.runs, again.active, again.trunk]).toEqual([tree.runs, tree.active, tree.trunk]);
    expect(unreachable(again, lastSeq)).toEqual(unreachable(tree, lastSeq));
  }
}

interface Piece {
  readonly kind: string;
  readonly data?: JsonObject;
}

function messages(count: number): Piece[] {
  return Array.from({ length: count }, () => ({ kind: "message" }));
}

function seqs(ranges: readonly SeqRange[]): number[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
}

function stepwise(lines: readonly ModelEntry[], told: (line: ModelEntry) => boolean = () => true): Tree {
  let tree = PLAIN;
  for (const [line, before] of withBefore(lines)) if (told(line)) tree = fold(tree, line, before);
  return tree;
}

function withBefore(lines: readonly ModelEntry[]): [ModelEntry & Mark, string | null][] {
  let last: string | null = null;
  return lines.map((line) => {
    const before = last;
    if (line.branch !== OFF_PATH) last = line.id;
    return [{ ...line, data: line.data }, before];
  });
}

const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom(
    ...(["append", "append", "appendTo", "branch", "branch", "edit"] as const),
    ...(["checkout", "flatten", "prune", "replace", "compact"] as const),
  ),
  pick: fc.nat({ max: 60 }),
  count: fc.integer({ min: 1, max: 3 }),
  checkout: fc.boolean(),
});

function forAnyWork(check: (run: Run) => void, eachStep = false): void {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      const run = new Run();
      for (const next of steps) {
        run.go(next);
        if (eachStep) check(run);
      }
      check(run);
    }),
    { numRuns: eachStep ? 150 : 300 },
  );
}

describe("a tree after any sequence of changes", () => {
  it("agrees with the parents after every step", () => {
    forAnyWork((run) => run.check(), true);
  });

  it("finds where two branches diverge", () => {
    forAnyWork((run) => run.checkComparisons());
  });

  it("can be folded again after a sweep", () => {
    forAnyWork((run) => run.checkSwept());
  });

  it("survives a round trip through JSON", () => {
    forAnyWork(({ logEnd: { tree } }) => {
      expect(decodeTree(JSON.parse(JSON.stringify(encodeTree(tree))))).toEqual(tree);
    });
  });
});
