/** What a user typed before, newest last: in a private file of the state folder. */
import { systemIo } from "../../disk/file-io.ts";
import { readPrivate, writePrivate } from "../../state/private-file.ts";
import { systemRandom } from "../../util/uuid.ts";

const ENTRIES_MAX = 500;
const ENTRY_CHARS_MAX = 4000;

export class InputHistory {
  readonly #path: string | undefined;
  #entries: readonly string[] | undefined;

  /** Without a path, it is forgotten at the end. */
  constructor(path?: string) {
    this.#path = path;
  }

  /** 0 is the newest. */
  at(age: number): string | undefined {
    // Read when it is first wanted: most chats begin without it.
    this.#entries ??= this.#stored();
    return this.#entries.at(-1 - age);
  }

  /** Never fails: a chat continues without its history. */
  add(text: string): void {
    if (text.trim() === "" || text.length > ENTRY_CHARS_MAX) return;
    // Read again: what another terminal has added meanwhile stays.
    const known = this.#path === undefined ? (this.#entries ?? []) : this.#stored();
    if (known.at(-1) !== text) this.#entries = [...known, text].slice(-ENTRIES_MAX);
    else this.#entries = known;
    if (this.#path === undefined || this.#entries === known) return;
    try {
      const lines = this.#entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      writePrivate(systemIo, systemRandom, this.#path, lines);
    } catch {
      return;
    }
  }

  /** A file that cannot be read is an empty history. */
  #stored(): string[] {
    if (this.#path === undefined) return [];
    try {
      const text = readPrivate(systemIo, this.#path)?.toString("utf8") ?? "";
      return text.split("\n").flatMap(entryIn).slice(-ENTRIES_MAX);
    } catch {
      return [];
    }
  }
}

function entryIn(line: string): string[] {
  if (line === "") return [];
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return [];
  }
}
