import { Growing } from "./growing.ts";
import { countUpTo } from "./halving.ts";
import type { Branch, Compaction, Run, Tree } from "./tree.ts";

interface Lists {
  readonly runs: Growing<Run>;
  readonly others: Growing<number>;
}

/** Of trees that were folded: as long as the log, so the next tree goes on with them instead of copying. */
const growing = new WeakMap<Tree, Lists>();

/** The runs of a tree, for who needs a few of them: `tree.runs` is a copy. */
export function runsOf(tree: Tree): Pick<readonly Run[], "length" | "at"> {
  return growing.get(tree)?.runs ?? tree.runs;
}

/**
 * A tree that is being counted. It changes in place, so that a whole log takes
 * time in proportion to its length; the tree that it began with stays as it
 * is. What a mark does not touch is not copied.
 */
export class Draft {
  active: number;
  trunk: number;
  current: number;
  runs: Growing<Run>;
  others: Growing<number>;
  readonly #from: Tree;
  #branches: Branch[] | undefined;
  #pruned: Set<number> | undefined;
  #compactions: Compaction[] | undefined;
  #labels: Map<string, string> | undefined;

  constructor(from: Tree) {
    this.active = from.active;
    this.trunk = from.trunk;
    this.current = from.current;
    const lists = growing.get(from);
    this.runs = lists?.runs ?? new Growing([...from.runs], (a, b) => a[0] === b[0] && a[1] === b[1]);
    this.others = lists?.others ?? new Growing([...from.others], (a, b) => a === b);
    this.#from = from;
  }

  get branches(): readonly Branch[] {
    return this.#branches ?? this.#from.branches;
  }

  /** In the place of the one with this id, if there is one. */
  putBranch(branch: Branch): void {
    this.#branches ??= [...this.#from.branches];
    const place = countUpTo(this.#branches, branch.id - 1, ({ id }) => id);
    this.#branches.splice(place, this.#branches[place]?.id === branch.id ? 1 : 0, branch);
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

  /** To be called once, at the end. */
  tree(): Tree {
    const { active, trunk, current, runs, others } = this;
    const from = this.#from;
    const tree: Tree = {
      active,
      trunk,
      current,
      branches: this.branches,
      pruned: this.#pruned === undefined ? from.pruned : [...this.#pruned],
      // Copied when somebody reads them, which a writer does not.
      get runs() {
        return runs.own;
      },
      get others() {
        return others.own;
      },
      compactions: this.#compactions ?? from.compactions,
      labels: this.#labels === undefined ? from.labels : [...this.#labels],
    };
    growing.set(tree, { runs, others });
    return tree;
  }
}
