/**
 * A message that is being written. It survives a reload until the gateway has accepted it. Its idempotency key stays
 * the same when it is sent again unchanged, so that a message whose acceptance was not heard is not sent twice.
 */
import type { SendMessage } from "../../../src/gateway/wire/frames.ts";
import { messageOf } from "../api/api.ts";
import { session } from "../api/session.ts";
import { Cell } from "../state/cell.ts";
import { newId } from "../state/new-id.ts";
import { readStored, writeStored } from "../state/stored.ts";
import { Attachments, type StoredFile } from "./attachments.ts";

export interface Outgoing {
  /** The idempotency key. */
  readonly key: string;
  readonly text: string;
  readonly files: readonly StoredFile[];
}

export class Draft {
  readonly text = new Cell("");
  readonly attachments = new Attachments();
  /** Why the last message was not sent, or a command failed. */
  readonly problem = new Cell<string | null>(null);
  /** Sent, and not accepted yet. */
  readonly underWay = new Cell<readonly Outgoing[]>([]);
  readonly #place: string;
  /** What the field had when it was sent before, or when the page was left. */
  #before: Outgoing | undefined;

  constructor(name: string) {
    this.#place = `draft.${name}`;
    this.#putBack(...stored(`${this.#place}/sent`), ...stored(this.#place));
    this.#keep();
    writeStored(`${this.#place}/sent`, null);
    this.text.watch(this.#keep);
    this.attachments.all.watch(this.#keep);
  }

  /** Takes the message out of the field at once, and puts it back with the reason if it is refused. */
  async submit(send: (message: Outgoing) => Promise<void>): Promise<void> {
    const { all } = this.attachments;
    if (all.value.some(({ state }) => state !== "stored")) {
      this.problem.set("Not sent: a file is not stored yet. Wait for it, try it again, or remove it.");
      return;
    }
    const message = this.#current();
    this.problem.set(null);
    this.underWay.update((old) => [...old, message]);
    this.#keepUnderWay();
    this.text.set("");
    all.set([]);
    try {
      await send(message);
      this.#ended(message);
    } catch (error) {
      this.#ended(message);
      this.#putBack(message);
      this.problem.set(`Not sent: ${messageOf(error)}`);
    }
  }

  #current(): Outgoing {
    const text = this.text.value.trim();
    const files = this.attachments.all.value.flatMap(({ stored: file }) => (file ? [file] : []));
    const before = this.#before;
    const isSame = before?.text.trim() === text && sameFiles(before.files, files);
    return { key: isSame ? before.key : newId(), text, files };
  }

  /** Before what was typed since. */
  #putBack(...messages: readonly Outgoing[]): void {
    const [first] = messages;
    if (!first) return;
    this.#before = first;
    const texts = [...messages.map(({ text }) => text), this.text.value];
    this.text.set(texts.filter((text) => text.trim() !== "").join("\n"));
    this.attachments.putBack(messages.flatMap(({ files }) => files));
  }

  readonly #keep = (): void => {
    const message = this.#current();
    const isEmpty = message.text === "" && message.files.length === 0;
    // As it was typed: a space at the end is the beginning of the next word.
    const kept = { ...message, text: this.text.value };
    writeStored(this.#place, isEmpty ? null : JSON.stringify([kept]));
  };

  #ended({ key }: Outgoing): void {
    this.underWay.update((old) => old.filter((one) => one.key !== key));
    this.#keepUnderWay();
  }

  #keepUnderWay(): void {
    const all = this.underWay.value;
    writeStored(`${this.#place}/sent`, all.length === 0 ? null : JSON.stringify(all));
  }
}

/** As it travels. */
export function orderOf({ key, text, files }: Outgoing): SendMessage {
  const attachments = files.map(({ blob, mediaType, name }) => ({ blob, mediaType, name }));
  return { text, idempotencyKey: key, ...(attachments.length > 0 && { attachments }) };
}

const drafts = new Map<string, Draft>();

/** One for each conversation, also while another one is shown. */
export function draftOf(name: string): Draft {
  const draft = drafts.get(name) ?? new Draft(name);
  drafts.set(name, draft);
  return draft;
}

// Somebody else may sign in.
session.watch(() => {
  if (!session.value?.signedIn) drafts.clear();
});

function stored(place: string): readonly Outgoing[] {
  try {
    const found: unknown = JSON.parse(readStored(place) ?? "[]");
    return Array.isArray(found) ? (found as Outgoing[]) : [];
  } catch {
    return [];
  }
}

function sameFiles(one: readonly StoredFile[], other: readonly StoredFile[]): boolean {
  return one.length === other.length && one.every(({ blob }, index) => blob === other[index]?.blob);
}
