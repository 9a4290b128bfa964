import type { ConversationInfo } from "../../../engine/index.ts";
import { firstWordsOf, titleIn } from "../../../message/title.ts";
import type { Message } from "../../../message/types.ts";
import { sha256Hex } from "../../../util/sha256.ts";

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

  constructor(id: string, mark: string | null) {
    this.#id = id;
    this.mark = mark;
  }

  say(title: string | undefined): void {
    this.#said = titleIn(title);
    this.#all.add(this.#said);
  }

  get isDerived(): boolean {
    return this.#derived !== undefined;
  }

  derive(message: Message): void {
    this.#derived ??= derivedTitle(message);
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
