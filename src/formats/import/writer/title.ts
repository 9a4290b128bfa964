import type { ConversationInfo } from "../../../engine/index.ts";
import { firstWordsOf, titleIn } from "../../../message/title.ts";
import type { Block, Message } from "../../../message/types.ts";
import { sha256Hex } from "../../../util/sha256.ts";
import type { TextPlaceholders } from "../text-placeholders.ts";

/** Whose name a conversation has: the file's, that of another source, or the file's from now on. */
export type Named = "own" | "other" | "taken";

/** The title of an unnamed conversation: the first words of the user. */
function derivedTitle(message: Message): string | undefined {
  return message.extra === undefined ? firstWordsOf(message) : undefined;
}

/** The title that a file gives its conversation. One that the user gave stays. */
export class SourceTitle {
  readonly #id: string;
  #said: string | null = null;
  /** Every title that the source has given it so far. */
  readonly #all: Set<string | null> = new Set();
  #derived: string | undefined;
  /** The title that the last import gave it. */
  mark: string | null;

  readonly #placeholders: TextPlaceholders;

  constructor(id: string, mark: string | null, placeholders: TextPlaceholders) {
    this.#id = id;
    this.mark = mark;
    this.#placeholders = placeholders;
  }

  say(title: string | undefined): void {
    this.#said = titleIn(title && this.#placeholders.startOf(title));
    this.#all.add(this.#said);
  }

  get isDerived(): boolean {
    return this.#derived !== undefined;
  }

  /** The first words of the user, as far as they are known: a file may be read after the one that has them. */
  get derived(): string | undefined {
    return this.#derived;
  }

  /** An earlier file has the first words. */
  restore(derived: string | undefined): void {
    this.#derived ??= derived;
  }

  derive(message: Message): void {
    this.#derived ??= derivedTitle(this.#placeholders.isEmpty ? message : this.#withStarts(message));
  }

  /** Of a long text, a title needs only the beginning. */
  #withStarts(message: Message): Message {
    const { content } = message;
    const startOf = (text: string): string => this.#placeholders.startOf(text);
    if (typeof content === "string") return { ...message, content: startOf(content) };
    const withStart = (block: Block): Block =>
      typeof block.text === "string" ? { ...block, text: startOf(block.text) } : block;
    return { ...message, content: content.map(withStart) };
  }

  /** The source's, or the first words of the user unless it is `verbatim`. */
  current(verbatim: boolean): string | null {
    return this.#said ?? (verbatim ? null : (this.#derived ?? null));
  }

  /** What the conversation is called from now on. `given` are the titles that imports gave it so far. */
  next(
    { title: named }: ConversationInfo,
    verbatim: boolean,
    whose: Named,
    given: () => Marks,
  ): string | null {
    if (named !== null && !this.#mayReplace(named, whose, given)) return named;
    // The first words of the user name a conversation only while it has no other title.
    const next = (named === null ? this.current(verbatim) : this.#said) ?? named;
    this.mark = titleMark(this.#id, next);
    return next;
  }

  #mayReplace(named: string, whose: Named, given: () => Marks): boolean {
    if (whose === "other") return false;
    const mark = titleMark(this.#id, named);
    if (mark === this.mark || this.#all.has(named) || named === this.#derived) return true;
    return whose === "taken" && given().includes(mark);
  }
}

type Marks = readonly (string | null)[];

/** To recognise a title that an import gave, without keeping the words. */
export function titleMark(conversation: string, title: string | null): string | null {
  return title === null ? null : sha256Hex(`${conversation}\n${title}`);
}
