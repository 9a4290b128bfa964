/** Decides which branch of a conversation is checked out, when all entries of a file are in the store. */
import { originalIn } from "../../../store/originals/provenance.ts";
import { isOffPath } from "../../../tree/control.ts";
import { isPlainObject } from "../../../util/json.ts";
import type { SourceConversation } from "../../contract/reader.ts";
import type { ConversationOriginals } from "../original/conversation-originals.ts";
import type { EntryIntake, QueuedEntry } from "./entry-intake.ts";
import type { PreviewedBranch } from "./previews.ts";

/** The original that a conversation was made of. */
const FIRST = 1;

export class ShownBranch {
  readonly #intake: EntryIntake;
  /** An earlier import of the file was killed, and what follows the last entry may not have been done. */
  readonly #isUnfinished: boolean;
  /** The entry that the source shows. */
  leaf: string | undefined;
  /** The last entry of the file, and the latest time of one. */
  #lastRead: string | undefined;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  readonly #isHidden: boolean;
  /** Where nothing is written: what an import would have checked out. */
  #previewed: PreviewedBranch | undefined;

  constructor(intake: EntryIntake, isUnfinished: boolean, { isHidden }: SourceConversation) {
    this.#intake = intake;
    this.#isUnfinished = isUnfinished;
    this.#isHidden = isHidden === true;
  }

  get previewed(): PreviewedBranch | undefined {
    return this.#previewed;
  }

  restore(previewed: PreviewedBranch | undefined): void {
    this.#previewed = previewed;
    if (this.#isHidden) this.#intake.tree.belongsToOthers();
  }

  /** The file has this entry. */
  read({ entry: { id, at = this.#usedAtMs, kind = "message", data } }: QueuedEntry): void {
    this.#usedAtMs = Math.max(this.#usedAtMs, at);
    if (!isOffPath(kind, data)) this.#lastRead = id;
  }

  /**
   * `hidden`: the names of files that their tool hides.
   *
   * Only when something was added: a branch that the user checked out since stays checked out.
   */
  async finish(
    start: SourceConversation,
    originals: readonly ConversationOriginals[],
    isNew: boolean,
    hidden: () => readonly string[],
  ): Promise<void> {
    const { tree } = this.#intake;
    const numbers = originals.flatMap((one) => one.numbers);
    const added = tree.lastId ?? this.#lastBefore(numbers);
    if (start.tree !== undefined && (added !== undefined || this.#isUnfinished)) {
      return tree.reshape(start.tree);
    }
    const isFirst = isNew || (this.#isUnfinished && numbers.includes(FIRST));
    const isHidden = start.isHidden === true;
    const isFresh = this.#isUnfinished || originals.some((one) => one.isNew);
    const reveals = !isHidden && !isFirst && isFresh && (await this.#showsArchived());
    const last = added ?? (reveals ? this.#revealed() : undefined);
    if (last === undefined) return isHidden && !isFirst ? this.#hide(originals, hidden()) : undefined;
    await tree.settle();
    if ((isHidden && !isFirst) || (!reveals && (await this.#isUsedLater()))) return;
    if (this.leaf !== undefined) await tree.seqOf(this.leaf);
    const leaf = this.leaf === undefined ? undefined : tree.resolve(this.leaf);
    await tree.checkout(leaf ?? last);
  }

  /** Nothing is written: count the branches that `finish` would make. `isStored`: the store has the conversation. */
  async preview(start: SourceConversation, isStored: boolean): Promise<void> {
    const { tree } = this.#intake;
    if (start.tree !== undefined && tree.lastId !== undefined) return tree.reshape(start.tree);
    const isFirst = !isStored && this.#previewed === undefined;
    const reveals = !this.#isHidden && this.#previewed?.isHidden === true;
    const last = tree.lastId ?? (reveals ? this.#revealed() : undefined);
    if (last === undefined || (this.#isHidden && !isFirst)) return;
    if (!isFirst && !reveals && (await this.#isUsedLater())) return;
    this.#previewed = { atMs: this.#usedAtMs, isHidden: this.#isHidden };
    await tree.checkout((this.leaf === undefined ? undefined : tree.resolve(this.leaf)) ?? last);
  }

  /** The last entry that an import of the file added before it was killed, unless others follow it by now. */
  #lastBefore(numbers: readonly number[]): string | undefined {
    const { tree } = this.#intake;
    const last = this.#isUnfinished ? tree.known.lastOf(numbers) : undefined;
    if (last === undefined || !tree.isHead(last.id)) return undefined;
    tree.lastAtMs = Date.parse(last.at);
    return last.id;
  }

  /** The conversation was made of an archived file, and that is what it shows. */
  async #showsArchived(): Promise<boolean> {
    const { about } = await this.#intake.introduction();
    if (!isPlainObject(about) || about.archived !== true) return false;
    return originalIn(await this.#intake.tree.shownEntry()) === FIRST;
  }

  /** The file was archived since its entries were imported: what was used last of the others is shown. */
  async #hide(originals: readonly ConversationOriginals[], names: readonly string[]): Promise<void> {
    const { tree } = this.#intake;
    const isOwn = (original: number): boolean => originals.some((one) => one.isFile(original));
    const hidden = await this.#intake.originalsOf(names);
    const isOut = (original: number): boolean => isOwn(original) || hidden.has(original);
    const shown = originalIn(await tree.shownEntry());
    const other = shown !== undefined && isOwn(shown) ? tree.known.lastOfOthers(isOut) : undefined;
    if (other === undefined) return;
    tree.lastAtMs = Date.parse(other.at);
    await tree.checkout(other.id);
  }

  /** An archived file has all entries of this one, and was read before it. */
  #revealed(): string | undefined {
    const { tree } = this.#intake;
    if (Number.isFinite(this.#usedAtMs)) tree.lastAtMs ||= this.#usedAtMs;
    return this.#lastRead === undefined ? undefined : tree.resolve(this.#lastRead);
  }

  /** A conversation may come from several files, which are read in any order: the one used last is shown. */
  async #isUsedLater(): Promise<boolean> {
    const { tree } = this.#intake;
    if (!Number.isFinite(this.#usedAtMs) || tree.branches === 1) return false;
    if (this.#previewed !== undefined) return this.#previewed.atMs > this.#usedAtMs;
    const shown = await tree.shownEntry();
    return shown !== undefined && Date.parse(shown.at) > this.#usedAtMs;
  }
}
