import { lengthOf, ownRanges, pathOf, within } from "./path.ts";
import { type Branch, branchById, headOf, liveBranches, type Tree } from "./tree.ts";

/** A branch as people see it. */
export interface BranchInfo {
  readonly name: string;
  /** Its last entry. */
  readonly head: string | null;
  /** The entry it leaves its parent at; `null` for `main`, and for a branch that begins anew. */
  readonly forkedFrom: string | null;
  /** The branch it leaves; `null` for `main`. */
  readonly parent: string | null;
  /** 1 for `main`, and one more than its parent for any other. */
  readonly depth: number;
  /** Entries of its own. */
  readonly entryCount: number;
  /** Checked out. */
  readonly active: boolean;
  readonly createdAt: string | null;
}

export interface DepthLimits {
  /** A branch that would lie deeper is refused. */
  readonly maxDepth: number;
  /** A branch that lies deeper is warned of. */
  readonly warningDepth: number;
}

export const DEPTH_LIMITS: DepthLimits = { maxDepth: 10, warningDepth: 7 };

interface Fork {
  readonly parent: number;
  readonly forkSeq: number;
  readonly forkedFrom: string | null;
}

/** How a tree hangs together once `main` is taken for the trunk that it is. */
export class Shape {
  readonly #tree: Tree;
  readonly #pruned: ReadonlySet<number>;
  /** The branches that the path of `main` runs through, and the last entry there. */
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
    // What `main` was flattened from leaves it where the path went on elsewhere.
    if (passed !== undefined) return { parent: trunk, forkSeq: passed.seq, forkedFrom: passed.id };
    return { parent: this.#ownerAt(origin, forkSeq), forkSeq, forkedFrom };
  }

  /** The branch that an entry counts as part of; for those of a pruned branch the one that it left. */
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

  /** Never more than there are branches, whatever the parents say. */
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

  /** The depth of a branch that would leave the path at `forkSeq`, an entry that `writer` wrote. */
  depthBelow(writer: number, forkSeq: number): number {
    return this.depthOf(this.#ownerAt(writer, forkSeq)) + 1;
  }
}

/** `main` first, then in the order of their creation. */
export function describeBranches(tree: Tree, lastSeq: number, last: string | null): BranchInfo[] {
  const shape = new Shape(tree);
  const live = liveBranches(tree).sort((a, b) => Number(b.id === tree.trunk) - Number(a.id === tree.trunk));
  return live.map((branch) => describe(tree, shape, branch, lastSeq, last));
}

/** One branch of many, without the cost of describing the others. */
export function describeBranch(tree: Tree, branch: Branch, lastSeq: number, last: string | null): BranchInfo {
  return describe(tree, new Shape(tree), branch, lastSeq, last);
}

function describe(
  tree: Tree,
  shape: Shape,
  branch: Branch,
  lastSeq: number,
  last: string | null,
): BranchInfo {
  const fork = shape.forkOf(branch);
  const isTrunk = fork === undefined;
  const own = isTrunk
    ? pathOf(tree, branch.id, lastSeq)
    : within(ownRanges(tree, branch.id, lastSeq), fork.forkSeq + 1, lastSeq);
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
        ? `Branch ${name} lies at depth ${depth}, beyond the limit of ${limits.maxDepth}: flatten it to go on branching`
        : `Branch ${name} lies at depth ${depth} of at most ${limits.maxDepth}: consider flattening it`,
    );
}
