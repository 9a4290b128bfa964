import { crc32 } from "node:zlib";
import type { FileIo } from "../../../disk/file-io.ts";
import { linesForward, type RawLine } from "../../../disk/line-scan.ts";
import { withFile } from "../../../disk/with-file.ts";
import type { StoredEntry } from "../../../message/types.ts";
import { advance, decodeRaw, EMPTY_LOG } from "../../../transcript/log-state.ts";

/**
 * An index of the entries of one log by id and by operation id.
 *
 * It is built when a caller first passes an id; ids that the store made need no
 * look-up. It holds hashes and positions only, and every hit is read from the
 * file and compared, so that a million entries take a few dozen MB.
 */
export class EntryIndex {
  readonly #io: FileIo;
  readonly #path: string;
  readonly #ids = new Map<number, number | number[]>();
  readonly #operations = new Map<number, number | number[]>();

  constructor(io: FileIo, path: string) {
    this.#io = io;
    this.#path = path;
    this.readOn(0);
  }

  /** Add an entry whose line starts, or will start, at `position`. */
  add(id: string, operationId: string | undefined, position: number): void {
    put(this.#ids, crc32(id), position);
    if (operationId !== undefined) put(this.#operations, crc32(operationId), position);
  }

  /** Add the entries from position `from` on. */
  readOn(from: number): void {
    const entry = ({ id, operationId }: StoredEntry, { start }: RawLine): void =>
      this.add(id, operationId, start);
    withFile(this.#io, this.#path, "read", (file) => {
      advance(this.#io, file, { ...EMPTY_LOG, bytes: from }, this.#io.statOpen(file).size, { entry });
    });
  }

  /** `settle` is called before reading a line that may still be staged. */
  byId(id: string, settle: () => void): StoredEntry | undefined {
    return this.#entriesAt(this.#ids.get(crc32(id)), settle).find((entry) => entry.id === id);
  }

  byOperation(operationId: string, settle: () => void): StoredEntry[] {
    return this.#entriesAt(this.#operations.get(crc32(operationId)), settle).filter(
      (entry) => entry.operationId === operationId,
    );
  }

  #entriesAt(positions: number | number[] | undefined, settle: () => void): StoredEntry[] {
    if (positions === undefined) return [];
    settle();
    return withFile(this.#io, this.#path, "read", (file) => {
      const { size } = this.#io.statOpen(file);
      return [positions].flat().flatMap((position) => {
        const raw = linesForward(this.#io, file, position, size).next().value;
        const line = raw === undefined ? undefined : decodeRaw(raw);
        return line?.ok && line.entry !== undefined ? [line.entry] : [];
      });
    });
  }
}

function put(map: Map<number, number | number[]>, hash: number, position: number): void {
  const known = map.get(hash);
  if (known === undefined) map.set(hash, position);
  else if (typeof known === "number") map.set(hash, [known, position]);
  else known.push(position);
}
