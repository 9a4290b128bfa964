/** The final names of the branches in one of our logs. */
import { describeBranches } from "../../../tree/branches.ts";
import { branchById, fold, isMark, MAIN, PLAIN, type Tree } from "../../../tree/tree.ts";
import type { JsonObject } from "../../../util/json.ts";
import { numberIn, objectIn, textIn } from "../../../util/values.ts";
import type { SourceTree } from "../../contract/reader.ts";

/** Entries with `id`, `seq`, `kind`, `branch`, `at`, `data`, in the order of the log. */
export class BranchNames {
  #tree: Tree = PLAIN;
  #lastSeq = 0;
  #last: string | null = null;
  readonly #undone: string[] = [];

  count({ id, seq: number, kind = "message", branch: owner, at, data }: JsonObject): void {
    const seq = numberIn(number);
    const name = textIn(id);
    // Other programs write no numbers.
    if (seq === undefined || name === undefined) return;
    const branch = numberIn(owner) ?? MAIN;
    if (isMark(this.#tree, String(kind), branch)) {
      const mark = { seq, id: name, kind: String(kind), at: textIn(at) ?? "", branch, data };
      this.#tree = fold(this.#tree, mark, this.#last);
    }
    if (branch >= 0) this.#last = name;
    this.#lastSeq = seq;
    const { type, compaction } = objectIn(data) ?? {};
    if (type === "undo-compaction" && typeof compaction === "string") this.#undone.push(compaction);
  }

  of(branch: number): string | undefined {
    return this.#tree.pruned.includes(branch) ? undefined : branchById(this.#tree, branch)?.name;
  }

  /** `undefined` for a log without numbers. */
  tree(): SourceTree | undefined {
    if (this.#lastSeq === 0) return undefined;
    const branches = describeBranches(this.#tree, this.#lastSeq, this.#last);
    return {
      branches: branches.map(({ name, head }) => ({ name, head })),
      active: branches.find(({ active }) => active)?.name ?? "main",
      undone: this.#undone,
    };
  }
}
