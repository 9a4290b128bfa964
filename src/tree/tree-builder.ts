import { countUpTo } from "./binary-search.ts";
import { SharedList } from "./shared-list.ts";
import type { Branch, Compaction, Run, Tree } from "./tree.ts";

interface Lists {
  readonly runs: SharedList<Run>;
  readonly others: SharedList<number>;
}

/** The lists of folded trees. They are as long as the log, so the next tree shares them instead of copying. */
const sharedLists = new WeakMap<Tree, Lists>();

/** The runs of a tree without copying them, which reading `tree.runs` does. */
export function runsOf(tree: Tree): Pick<readonly Run[], "length" | "at"> {
  return sharedLists.get(tree)?.runs ?? tree.runs;
}

/**
 * Builds the next tree from a tree and the marks after it. It changes in place,
 * so that folding a log takes linear time; the tree it started from does not
 * change. Lists that no mark touches are not copied.
 */
export class TreeBuilder {
  active: number;
  trunk: number;
  current: number;
  runs: SharedList<Run>;
  others: SharedList<number>;
  readonly #from: Tree;
  #branches: Branch[] | undefined;
  #pruned: Set<number> | undefined;
  #compactions: Compaction[] | undefined;
  #labels: Map<string, string> | undefined;

  constructor(from: Tree) {
    this.active = from.active;
    this.trunk = from.trunk;
    this.current = from.current;
    const lists = sharedLists.get(from);
    this.runs = lists?.runs ?? new SharedList([...from.runs], (a, b) => a[0] === b[0] && a[1] === b[1]);
    this.others = lists?.others ?? new SharedList([...from.others], (a, b) => a === b);
    this.#from = from;
  }

  get branches(): readonly Branch[] {
    return this.#branches ?? this.#from.branches;
  }

  /** Replaces the branch with the same id, if there is one. */
  putBranch(branch: Branch): void {
    this.#branches ??= [...this.#from.branches];
    const index = countUpTo(this.#branches, branch.id - 1, ({ id }) => id);
    this.#branches.splice(index, this.#branches[index]?.id === branch.id ? 1 : 0, branch);
  }

  get pruned(): Set<number> {
    this.#pruned ??= new Set(this.#from.pruned);
    return this.#pruned;
  }

  get compactions(): Compaction[] {
    this.#compactions ??= [...this.#from.compactions];
    return this.#compactions;
  }

  get labels(): Map<string, string> {
    this.#labels ??= new Map(this.#from.labels);
    return this.#labels;
  }

  /** Call it once, at the end. */
  tree(): Tree {
    const { active, trunk, current, runs, others } = this;
    const from = this.#from;
    const tree: Tree = {
      active,
      trunk,
      current,
      branches: this.branches,
      pruned: this.#pruned === undefined ? from.pruned : [...this.#pruned],
      // Copied on first access; writers never read them.
      get runs() {
        return runs.own;
      },
      get others() {
        return others.own;
      },
      compactions: this.#compactions ?? from.compactions,
      labels: this.#labels === undefined ? from.labels : [...this.#labels],
    };
    sharedLists.set(tree, { runs, others });
    return tree;
  }
}
