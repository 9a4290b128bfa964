/**
 * A conversation at one point in time, read a page at a time.
 *
 * The end of the log is recorded first: an entry that is appended while an export
 * runs is not part of it, so branches, labels and entries are consistent.
 */
import type { ConversationInfo } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { type BranchInfo, describeBranches, Shape } from "../../tree/branches.ts";
import { ownRanges, pathOf, type SeqRange, within } from "../../tree/path.ts";
import { type Branch, liveBranches, MAIN, ownerOf, type Tree } from "../../tree/tree.ts";
import type { StoreAccess } from "../access.ts";
import { inlineBlobs } from "../blobs/blob-parts.ts";
import type { Store } from "../store.ts";
import { branchNamed, infoOf, logEndOf } from "./lookups.ts";

/** An entry with all its parts, and its branch. */
export interface ExportEntry extends StoredEntry {
  readonly branch: number;
  /** Blobs that the message refers to by hash. */
  readonly references: readonly string[];
}

const PAGE_ENTRIES = 500;
const PAGE_BYTES = 4 * 1024 * 1024;

export class Snapshot {
  readonly store: Store;
  readonly info: ConversationInfo;
  readonly branches: readonly BranchInfo[];
  readonly tree: Tree;
  readonly #access: StoreAccess;
  readonly #lastSeq: number;

  private constructor(
    store: Store,
    access: StoreAccess,
    info: ConversationInfo,
    tree: Tree,
    lastSeq: number,
    last: string | null,
  ) {
    this.store = store;
    this.#access = access;
    this.info = info;
    this.tree = tree;
    this.#lastSeq = lastSeq;
    this.branches = describeBranches(tree, lastSeq, last);
  }

  static async take(store: Store, access: StoreAccess, idOrKey: string): Promise<Snapshot> {
    const conversation = await store.get(idOrKey);
    if (conversation === undefined) {
      throw new ColloquyError("NOT_FOUND", `There is no conversation ${idOrKey}`);
    }
    const { tree, lastSeq, last } = await logEndOf(access, conversation.id);
    return new Snapshot(store, access, await infoOf(access, conversation.id), tree, lastSeq, last);
  }

  /** The branch with this name; default: the checked-out one. */
  branch(name: string | undefined): Branch {
    const active = this.branches.find((branch) => branch.active)?.name ?? "main";
    return branchNamed(this.tree, name ?? active);
  }

  described(id: number): BranchInfo | undefined {
    const name = liveBranches(this.tree).find((branch) => branch.id === id)?.name;
    return this.branches.find((branch) => branch.name === name);
  }

  /** Every entry of the log, including changes to the tree. */
  log(): AsyncGenerator<ExportEntry, void, undefined> {
    return this.#entries(null, [[1, this.#lastSeq]], (seq) => ownerOf(this.tree, seq));
  }

  /** The path of a branch, as if it were the only one. */
  path({ id }: Branch): AsyncGenerator<ExportEntry, void, undefined> {
    return this.#entries(id, pathOf(this.tree, id, this.#lastSeq), () => MAIN);
  }

  /** The entries that are only on this branch; the whole path for `main`. */
  own(branch: Branch): AsyncGenerator<ExportEntry, void, undefined> {
    const fork = new Shape(this.tree).forkOf(branch);
    const ranges =
      fork === undefined
        ? pathOf(this.tree, branch.id, this.#lastSeq)
        : within(ownRanges(this.tree, branch.id, this.#lastSeq), fork.forkSeq + 1, this.#lastSeq);
    return this.#entries(branch.id, ranges, () => branch.id);
  }

  async *#entries(
    branch: number | null,
    ranges: readonly SeqRange[],
    ownerAt: (seq: number) => number,
  ): AsyncGenerator<ExportEntry, void, undefined> {
    for (const [from, to] of ranges) {
      for (let after = from - 1; after < to; ) {
        const { entries, more } = await this.#page(branch, after);
        for (const entry of entries) {
          // One at a time: a page of pictures would not fit into memory.
          if (entry.seq <= to) yield await this.#whole(entry, ownerAt(entry.seq));
        }
        after = more ? (entries.at(-1)?.seq ?? to) : to;
      }
    }
  }

  #page(branch: number | null, after: number): Promise<{ entries: StoredEntry[]; more: boolean }> {
    return this.#access.ask((engine) =>
      engine.page({
        conversation: this.info.id,
        direction: "forward",
        from: after,
        limit: PAGE_ENTRIES,
        bytesMax: PAGE_BYTES,
        branch,
      }),
    );
  }

  async #whole(entry: StoredEntry, branch: number): Promise<ExportEntry> {
    const references = (entry.blobs ?? []).filter(({ as }) => as === "reference").map(({ hash }) => hash);
    const [whole = entry] = entry.blobs === undefined ? [entry] : await inlineBlobs(this.#access, [entry]);
    return { ...whole, branch, references };
  }
}
