/** On which branch an entry comes to stand, by the entry that it follows. */

/** A branch of the conversation that is written. Its id is known once it was made. */
export interface BranchRef {
  id: number | undefined;
  readonly name: string;
}

/** Where an entry goes. `from` is there when the branch begins with it; `null` is before the first entry. */
export interface Placed {
  readonly branch: BranchRef;
  readonly from?: string | null;
}

export class Placement {
  /** The last entry of each branch, and the branch. */
  readonly #heads: Map<string, BranchRef> = new Map();
  readonly #names: Set<string> = new Set(["main"]);
  /** A branch that has no entry yet. */
  #empty: BranchRef | undefined;
  #count = 0;

  /** Begin with the branches that are there. */
  constructor(branches: readonly { readonly ref: BranchRef; readonly head: string | null }[]) {
    for (const { ref, head } of branches) {
      this.#names.add(ref.name);
      if (head === null) this.#empty ??= ref;
      // A branch without entries ends where another one does, which is older and goes on.
      else if (!this.#heads.has(head)) this.#heads.set(head, ref);
    }
    this.#count = branches.length;
  }

  get branches(): number {
    return this.#count;
  }

  /** Different last entries: what a person calls the versions of a conversation. */
  get leaves(): number {
    return this.#heads.size;
  }

  /** The branch that ends with this entry. */
  endingWith(id: string): BranchRef | undefined {
    return this.#heads.get(id);
  }

  /** `name` is what a branch is called that begins with this entry, where that name is free. */
  place(id: string, parent: string | null, name?: string): Placed {
    const going = parent === null ? this.#empty : this.#heads.get(parent);
    if (going === undefined) return this.#fork(id, parent, name);
    if (parent === null) this.#empty = undefined;
    else this.#heads.delete(parent);
    this.#heads.set(id, going);
    return { branch: going };
  }

  /** A branch that leaves behind `from` and has nothing of its own yet. */
  fork(from: string, name?: string): Placed {
    return this.#fork(from, from, name);
  }

  #fork(head: string, from: string | null, wanted: string | undefined): Placed {
    const isFree = wanted !== undefined && !this.#names.has(wanted);
    const branch: BranchRef = { id: undefined, name: isFree ? wanted : this.freeName("branch") };
    this.#names.add(branch.name);
    this.#heads.set(head, branch);
    this.#count++;
    return { branch, from };
  }

  hasName(name: string): boolean {
    return this.#names.has(name);
  }

  /** A branch got this name without being made with it. */
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
