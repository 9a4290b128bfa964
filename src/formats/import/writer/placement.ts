/** Decides on which branch an entry goes, by the entry that it follows. */

/** A branch of the conversation being written. Its id is known once it exists. */
export interface BranchRef {
  id: number | undefined;
  readonly name: string;
}

/** Where an entry goes. `from` is set when the entry starts the branch; `null` means before the first entry. */
export interface Placed {
  readonly branch: BranchRef;
  readonly from?: string | null;
}

export interface PlacementJson {
  /** The last entry and the name of each branch that has entries. */
  readonly heads: readonly (readonly [head: string, name: string])[];
  readonly names: readonly string[];
  readonly empty: string | undefined;
  readonly count: number;
}

export class Placement {
  /** The last entry of each branch, and the branch. */
  readonly #heads: Map<string, BranchRef> = new Map();
  #names: Set<string> = new Set(["main"]);
  /** A branch that has no entry yet. */
  #empty: BranchRef | undefined;
  #count = 0;

  /** Start with the existing branches. */
  constructor(branches: readonly { readonly ref: BranchRef; readonly head: string | null }[]) {
    for (const { ref, head } of branches) {
      this.#names.add(ref.name);
      if (head === null) this.#empty ??= ref;
      // A branch without entries has the head of an older branch, which continues.
      else if (!this.#heads.has(head)) this.#heads.set(head, ref);
    }
    this.#count = branches.length;
  }

  /** As `toJSON` returned it, for a run that writes nothing: no branch has an id. */
  static from({ heads, names, empty, count }: PlacementJson): Placement {
    const placement = new Placement([]);
    for (const [head, name] of heads) placement.#heads.set(head, { id: undefined, name });
    placement.#names = new Set(names);
    placement.#empty = empty === undefined ? undefined : { id: undefined, name: empty };
    placement.#count = count;
    return placement;
  }

  toJSON(): PlacementJson {
    const heads = [...this.#heads].map(([head, { name }]) => [head, name] as const);
    return { heads, names: [...this.#names], empty: this.#empty?.name, count: this.#count };
  }

  get branches(): number {
    return this.#count;
  }

  /** The number of different last entries, which the user sees as versions of the conversation. */
  get leaves(): number {
    return this.#heads.size;
  }

  /** The last entries of branches. */
  get heads(): readonly string[] {
    return [...this.#heads.keys()];
  }

  /** The branch that ends with this entry. */
  endingWith(id: string): BranchRef | undefined {
    return this.#heads.get(id);
  }

  /** `name` is for a branch that starts with this entry, if the name is free. */
  place(id: string, parent: string | null, name?: string): Placed {
    const going = parent === null ? this.#empty : this.#heads.get(parent);
    if (going === undefined) return this.#fork(id, parent, name);
    if (parent === null) this.#empty = undefined;
    else this.#heads.delete(parent);
    this.#heads.set(id, going);
    return { branch: going };
  }

  /** A branch that starts after `from` with the entry `head`, or has no entries yet. */
  fork(from: string | null, name?: string, head: string | null = from): Placed {
    return this.#fork(head, from, name);
  }

  #fork(head: string | null, from: string | null, wanted: string | undefined): Placed {
    const isFree = wanted !== undefined && !this.#names.has(wanted);
    const branch: BranchRef = { id: undefined, name: isFree ? wanted : this.freeName("branch") };
    this.#names.add(branch.name);
    if (head !== null) this.#heads.set(head, branch);
    this.#count++;
    return { branch, from };
  }

  hasName(name: string): boolean {
    return this.#names.has(name);
  }

  /** A branch was renamed to this. */
  addName(name: string): void {
    this.#names.add(name);
  }

  freeName(stem: string): string {
    for (let number = this.#names.size; ; number++) {
      const name = `${stem}-${number}`;
      if (!this.#names.has(name)) return name;
    }
  }
}
