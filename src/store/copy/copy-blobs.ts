import type { BlobPart, NewBlob } from "../../engine/index.ts";
import { unavailable } from "../../errors.ts";
import type { BlobRef } from "../../message/types.ts";
import type { StoreAccess } from "../access.ts";
import { putBlob, readBlob } from "../blobs/blob-streams.ts";

/** Larger ones are copied a piece at a time, before the entry that refers to them. */
const WITH_ENTRY_BYTES_MAX = 4 * 1024 * 1024;

/** Copies large parts from one store to another, each once. */
export class BlobCarrier {
  readonly #from: StoreAccess;
  readonly #to: StoreAccess;
  readonly #brought = new Set<string>();

  constructor(from: StoreAccess, to: StoreAccess) {
    this.#from = from;
    this.#to = to;
  }

  /** The blobs to write together with the entries that refer to them. */
  async carry(refs: readonly BlobRef[]): Promise<NewBlob[]> {
    const blobs: NewBlob[] = [];
    for (const { hash, size, as } of refs) {
      if (this.#brought.has(hash)) continue;
      this.#brought.add(hash);
      if ((await part(this.#to, hash, 1)) !== undefined) continue;
      const found = await part(this.#from, hash, WITH_ENTRY_BYTES_MAX + 1);
      if (found === undefined) throw unavailable(`The blob ${hash} was removed while it was copied`);
      const { encoding, storedBytes, data } = found;
      // The size that is stored with a blob may be damaged, and that of a reference is the caller's.
      const isMeasured = encoding === "none" || as !== "reference";
      if (!isMeasured || storedBytes > WITH_ENTRY_BYTES_MAX) await this.#stream(hash);
      else blobs.push({ hash, size: encoding === "none" ? data.length : size, encoding, data });
    }
    return blobs;
  }

  async #stream(hash: string): Promise<void> {
    const pieces = await readBlob(this.#from, hash);
    if (pieces === undefined) throw unavailable(`The blob ${hash} was removed while it was copied`);
    await putBlob(this.#to, pieces);
  }
}

function part(store: StoreAccess, hash: string, bytes: number): Promise<BlobPart | undefined> {
  return store.ask((engine) => engine.blob(hash, 0, bytes));
}
