/** Files that go with the next message. Each is stored as soon as it is added. */
import { ATTACHMENTS, type Attachment } from "../../../src/gateway/wire/frames.ts";
import { api, messageOf } from "../api/api.ts";
import { Cell } from "../state/cell.ts";
import { newId } from "../state/new-id.ts";
import { shortBytes } from "../ui/values/count.tsx";

export interface StoredFile extends Attachment {
  readonly name: string;
  readonly size: number;
}

export interface Attached {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly state: "storing" | "stored" | "failed";
  readonly problem: string | null;
  /** Once it is stored. */
  readonly stored: StoredFile | null;
  /** To try again; `null` after a reload. */
  readonly file: File | null;
}

export class Attachments {
  readonly all = new Cell<readonly Attached[]>([]);

  add(files: Iterable<File>): void {
    for (const file of files) {
      const { name, size } = file;
      const key = newId();
      const attached: Attached = { key, name, size, state: "storing", problem: null, stored: null, file };
      this.all.update((old) => [...old, attached]);
      void this.store(attached);
    }
  }

  remove(key: string): void {
    this.all.update((old) => old.filter((one) => one.key !== key));
  }

  /** Also after a failure. */
  async store({ key, file }: Attached): Promise<void> {
    if (!file) return;
    const problem = this.#refusal(key, file);
    this.#change(key, { state: problem === null ? "storing" : "failed", problem });
    if (problem !== null) return;
    try {
      const { hash: blob } = await api<{ readonly hash: string }>("POST", "blobs", { bytes: file });
      const { name, size, type } = file;
      const stored = { blob, mediaType: type || "application/octet-stream", name, size };
      this.#change(key, { state: "stored", stored });
    } catch (error) {
      this.#change(key, { state: "failed", problem: messageOf(error) });
    }
  }

  /** Before what was added since. */
  putBack(files: readonly StoredFile[]): void {
    const back = files.map((stored): Attached => {
      const { name, size } = stored;
      return { key: newId(), name, size, state: "stored", problem: null, stored, file: null };
    });
    if (back.length > 0) this.all.update((old) => [...back, ...old]);
  }

  /** What the gateway would refuse when the message is sent. */
  #refusal(key: string, { size }: File): string | null {
    const place = this.all.value.findIndex((one) => one.key === key);
    if (place >= ATTACHMENTS.filesMax) return `a message has at most ${ATTACHMENTS.filesMax} files`;
    return size > ATTACHMENTS.bytesMax ? `larger than ${shortBytes(ATTACHMENTS.bytesMax)}` : null;
  }

  #change(key: string, part: Partial<Attached>): void {
    this.all.update((old) => old.map((one) => (one.key === key ? { ...one, ...part } : one)));
  }
}
