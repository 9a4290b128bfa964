/** The originals that one file adds to a conversation. */
import type { OriginalForm } from "../../../store/originals/announcement.ts";
import { type Original, segmentsOf } from "../../../store/originals/originals.ts";
import type { Ingest } from "../../../store/write/ingest.ts";
import { isPlainObject, type Json, type JsonObject } from "../../../util/json.ts";
import type { QueuedOriginal } from "./collector.ts";
import { type Announce, type OriginalPlace, OriginalWriter } from "./original-writer.ts";

export interface ConversationOriginalsOptions {
  readonly ingest: Ingest;
  readonly conversation: string;
  readonly file: string;
  readonly verify: boolean;
  readonly missing: (offset: number | null, reason: string) => void;
}

export class ConversationOriginals {
  readonly #options: ConversationOriginalsOptions;
  readonly #writers: Map<OriginalForm, OriginalWriter> = new Map();
  /** Of files beside it, by their names. */
  readonly #besides: Map<string, OriginalWriter> = new Map();
  readonly #places: Map<string, OriginalPlace> = new Map();
  #known: readonly Original[] = [];
  #numbers = 0;
  /** What follows in the file comes after all that an earlier import has read of it. */
  #isContinued = false;

  constructor(options: ConversationOriginalsOptions) {
    this.#options = options;
  }

  /** The number of the original of the file that has records of this form. */
  numberOf(form: OriginalForm): number | undefined {
    return this.#writers.get(form)?.number;
  }

  /** Whether an original is the file, or what the file was under another name. */
  isFile(original: number): boolean {
    return [...this.#writers.values()].some((writer) => writer.isFile(original));
  }

  /** The store had nothing of the file before. */
  get isNew(): boolean {
    return [...this.#writers.values()].some((writer) => writer.isNew);
  }

  /** Of all originals of the file. */
  get numbers(): number[] {
    return [...this.#writers.values()].flatMap(({ number }) => number ?? []);
  }

  /** `isNew`: the conversation is not in the store, so nothing has to be compared. */
  async put(queued: QueuedOriginal, isNew: boolean): Promise<Announce | undefined> {
    const { form, file } = queued;
    const known = file === undefined ? this.#writers.get(form) : this.#besides.get(file);
    if (known !== undefined) return known.put(queued);
    if (!isNew && (file !== undefined || !this.#places.has(form))) {
      await this.#load();
      if (file === undefined && this.#isContinued) this.#continue(form);
    }
    const writer = this.#writerOf(form, file);
    return writer.put(queued);
  }

  /** Nothing more comes from the file. */
  async finish(): Promise<Announce[]> {
    const all = await Promise.all(this.#all().map((writer) => writer.finish()));
    return all.filter((announce) => announce !== undefined);
  }

  async settle(): Promise<void> {
    const { ingest, conversation } = this.#options;
    const replaced = this.#known.flatMap((original) => original.replaced);
    if (replaced.length > 0) await ingest.withdraw(conversation, replaced);
    for (const writer of this.#all()) await writer.settle();
  }

  /** For the ledger. `undefined` if a later import has to compare the file with what the store has. */
  save(): JsonObject | undefined {
    const places: Record<string, Json> = {};
    for (const [form, place] of this.#places) places[form] = { ...place };
    for (const [form, { place }] of this.#writers) {
      if (place === undefined) return undefined;
      places[form] = { ...place };
    }
    return places;
  }

  /** As an earlier import of the same file left it. `isContinued`: it has added to the conversation. */
  resume(saved: Json | undefined, isContinued: boolean): void {
    this.#isContinued = isContinued;
    if (!isPlainObject(saved)) return;
    for (const [form, place] of Object.entries(saved)) {
      if (!isPlainObject(place)) continue;
      const { original, segments, size } = place;
      if (typeof original !== "number" || typeof segments !== "number") continue;
      this.#places.set(form, { original, segments, ...(typeof size === "number" && { size }) });
    }
  }

  /** Whether it continues an earlier import of the file. */
  continues(form: OriginalForm): boolean {
    return this.#places.has(form);
  }

  /** Of many conversations in one file, the ledger does not keep all places. */
  #continue(form: OriginalForm): void {
    const own = this.#known.findLast(
      (original) => original.form === form && original.file === this.#options.file,
    );
    if (own === undefined) return;
    this.#places.set(form, { original: own.number, segments: segmentsOf(own, this.#known).length });
  }

  async #load(): Promise<void> {
    this.#known = await this.#options.ingest.originals(this.#options.conversation);
    this.#numbers = Math.max(this.#numbers, ...this.#known.map(({ number }) => number));
  }

  #all(): OriginalWriter[] {
    return [...this.#writers.values(), ...this.#besides.values()];
  }

  #writerOf(form: OriginalForm, file: string | undefined): OriginalWriter {
    const writer = new OriginalWriter({
      ...this.#options,
      form,
      isBeside: file !== undefined,
      known: this.#known,
      newNumber: () => ++this.#numbers,
      ...(file === undefined ? { place: this.#places.get(form) } : { file, place: undefined }),
    });
    if (file === undefined) this.#writers.set(form, writer);
    else this.#besides.set(file, writer);
    return writer;
  }
}
