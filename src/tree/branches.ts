import { invalid } from "../errors.ts";
import { allOwnRanges, lengthOf, ownRanges, pathOf, type SeqRange, within } from "./path.ts";
import { type Branch, branchById, headOf, liveBranches, type Tree } from "./tree.ts";

/** A branch as the public API describes it. */
export interface BranchInfo {
  readonly name: string;
  /** Its last entry. */
  readonly head: string | null;
  /** The entry where it forks from its parent; `null` for `main`, and for a branch that starts from nothing. */
  readonly forkedFrom: string | null;
  /** The branch it forks from; `null` for `main`. */
  readonly parent: string | null;
  /** 1 for `main`; one more than its parent for any other branch. */
  readonly depth: number;
  /** The number of entries after the fork. */
  readonly entryCount: number;
  /** Whether it is checked out. */
  readonly active: boolean;
  readonly createdAt: string | null;
}

export interface DepthLimits {
  /** Creating a deeper branch fails. */
  readonly maxDepth: number;
  /** A deeper branch gets a warning. */
  readonly warningDepth: number;
}

export const DEPTH_LIMITS: DepthLimits = { maxDepth: 10, warningDepth: 7 };

/** The limits of a caller, with the default of each that is missing. */
export function checkedDepths(depths: Partial<DepthLimits>): DepthLimits {
  const limits = { ...DEPTH_LIMITS, ...depths };
  for (const [member, depth] of Object.entries(limits)) {
    if (!Number.isSafeInteger(depth) || depth < 1) throw invalid(`${member} must be 1 or more`, member);
  }
  return limits;
}

interface Fork {
  readonly parent: number;
  readonly forkSeq: number;
  readonly forkedFrom: string | null;
}

/** The forks of a tree, seen with `main` as the trunk that all other branches leave. */
export class Shape {
  readonly #tree: Tree;
  readonly #pruned: ReadonlySet<number>;
  /** The branches that the path of `main` runs through, and its last entry on each. */
  readonly #trunk = new Map<number, { readonly seq: number; readonly id: string | null }>();

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#pruned = new Set(tree.pruned);
    let last: { seq: number; id: string | null } = { seq: Number.MAX_SAFE_INTEGER, id: null };
    for (let id: number | null = tree.trunk; id !== null && last.seq > 0 && !this.#trunk.has(id); ) {
      this.#trunk.set(id, last);
      const branch = branchById(tree, id);
      last = { seq: Math.min(last.seq, branch?.forkSeq ?? 0), id: branch?.forkedFrom ?? null };
      id = branch?.origin ?? null;
    }
  }

  /** `undefined` for `main`. */
  forkOf({ id, origin, forkSeq, forkedFrom }: Branch): Fork | undefined {
    const { trunk } = this.#tree;
    if (id === trunk) return undefined;
    const passed = this.#trunk.get(id);
    // After a flatten, a branch that `main` runs through leaves it where the path of `main` turns off.
    if (passed !== undefined) return { parent: trunk, forkSeq: passed.seq, forkedFrom: passed.id };
    return { parent: this.#ownerAt(origin, forkSeq), forkSeq, forkedFrom };
  }

  /** The branch that an entry counts towards. An entry of a pruned branch counts towards the branch it forked from. */
  #ownerAt(writer: number | null, seq: number): number {
    const { trunk } = this.#tree;
    const seen = new Set<number>();
    for (let [id, at] = [writer, seq]; id !== null && !seen.has(id); ) {
      seen.add(id);
      if (at <= (this.#trunk.get(id)?.seq ?? 0)) break;
      if (!this.#pruned.has(id)) return id;
      const branch = branchById(this.#tree, id);
      [id, at] = [branch?.origin ?? null, Math.min(at, branch?.forkSeq ?? 0)];
    }
    return trunk;
  }

  /** Bounded by the number of branches, so that damaged parents cannot cause a loop. */
  depthOf(id: number): number {
    let depth = 1;
    let branch = branchById(this.#tree, id);
    while (branch !== undefined && depth <= this.#tree.branches.length) {
      const fork = this.forkOf(branch);
      if (fork === undefined) break;
      depth++;
      branch = branchById(this.#tree, fork.parent);
    }
    return depth;
  }

  /** The depth of a new branch that forks at `forkSeq`, an entry of branch `writer`. */
  depthBelow(writer: number, forkSeq: number): number {
    return this.depthOf(this.#ownerAt(writer, forkSeq)) + 1;
  }
}

/** `main` first, then in order of creation. */
export function describeBranches(tree: Tree, lastSeq: number, last: string | null): BranchInfo[] {
  const shape = new Shape(tree);
  const live = liveBranches(tree).sort((a, b) => Number(b.id === tree.trunk) - Number(a.id === tree.trunk));
  const ranges = allOwnRanges(tree, lastSeq);
  return live.map((branch) => describe(tree, shape, branch, lastSeq, last, ranges.get(branch.id) ?? []));
}

/** Describes one branch without the cost of describing the others. */
export function describeBranch(tree: Tree, branch: Branch, lastSeq: number, last: string | null): BranchInfo {
  return describe(tree, new Shape(tree), branch, lastSeq, last, ownRanges(tree, branch.id, lastSeq));
}

function describe(
  tree: Tree,
  shape: Shape,
  branch: Branch,
  lastSeq: number,
  last: string | null,
  ranges: readonly SeqRange[],
): BranchInfo {
  const fork = shape.forkOf(branch);
  const isTrunk = fork === undefined;
  const own = isTrunk ? pathOf(tree, branch.id, lastSeq) : within(ranges, fork.forkSeq + 1, lastSeq);
  return {
    name: branch.name,
    head: headOf(tree, branch.id, last),
    forkedFrom: isTrunk ? null : fork.forkedFrom,
    parent: isTrunk ? null : (branchById(tree, fork.parent)?.name ?? null),
    depth: shape.depthOf(branch.id),
    entryCount: lengthOf(own),
    active: branch.id === tree.active,
    createdAt: branch.createdAt,
  };
}

export function depthWarnings(branches: readonly BranchInfo[], limits: DepthLimits): string[] {
  return branches
    .filter(({ depth }) => depth > limits.warningDepth)
    .map(({ name, depth }) =>
      depth > limits.maxDepth
        ? `Branch ${name} has depth ${depth}, above the limit of ${limits.maxDepth}: flatten it before you branch again`
        : `Branch ${name} has depth ${depth} of at most ${limits.maxDepth}: consider flattening it`,
    );
}
