/** Random operations from small pools of ids and names, so that they collide. */
import type { BlobOperation, NewBlob, NewEntry, Operation } from "../../src/engine/index.ts";
import type { BlobRef } from "../../src/message/types.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { sha256Hex } from "../../src/util/sha256.ts";
import { isoTime } from "../../src/util/time.ts";

/** The next number below a limit. */
export type Draw = (below: number) => number;

export const CONVERSATIONS: readonly string[] = [1, 2, 3].map(
  (n) => `01990000-0000-7000-8000-00000000000${n}`,
);
export const KEYS: readonly string[] = ["web:1", "web:2"];
export const BRANCHES: readonly string[] = ["main", "side", "far", "former"];
export const ENTRIES: readonly string[] = Array.from({ length: 14 }, (_, n) => `entry-${n}`);
const OPERATIONS = ["op-1", "op-2", "op-3"];
const TURNS = ["turn-1", "turn-2"];
const TEXTS = ["", "a", "two words", "é€😀".repeat(40)];
/** The store lets no empty title through. */
const TITLES = TEXTS.filter((text) => text !== "");
const BLOBS: readonly Buffer[] = [
  Buffer.from("0123456789"),
  Buffer.from("blob ".repeat(300)),
  Buffer.alloc(0),
];
export const HASHES: readonly string[] = BLOBS.map((bytes) => sha256Hex(bytes));
const START_MS = Date.UTC(2026, 0, 1);

export class RandomOperations {
  readonly #draw: Draw;
  readonly #leases: boolean;
  #made = 0;
  #nowMs = START_MS;

  constructor(draw: Draw, leases: boolean) {
    this.#draw = draw;
    this.#leases = leases;
  }

  /** Operations that are committed together. */
  commit(): Operation[] {
    return Array.from({ length: 1 + this.#draw(3) }, () => this.#operation());
  }

  #operation(): Operation {
    this.#nowMs += this.#draw(3) * 1000;
    const conversation = this.#pick(CONVERSATIONS);
    const at = isoTime(this.#nowMs);
    const choice = this.#draw(41);
    if (choice < 4) return this.#create(conversation, at);
    if (choice < 22) return this.#append(conversation, at);
    if (choice < 24) return { type: "update", conversation, patch: this.#patch(), at };
    if (choice < 26) return { type: this.#pick(["trash", "restore"] as const), conversation, at };
    if (choice < 27) return { type: "purge", conversation, force: this.#flip(), at };
    if (choice < 29) return this.#redact(conversation, at);
    if (choice < 31) return { type: "sweep", conversation, at };
    if (choice < 34 && this.#leases) return this.#lease(conversation);
    if (choice < 36) return this.#journal(conversation);
    if (choice < 39) return this.#upload(at);
    if (choice < 40) return { type: "set-key", conversation, key: this.#maybe(KEYS) ?? null, at };
    return { type: "collect", before: isoTime(this.#nowMs - this.#draw(3) * 1000), at };
  }

  #create(id: string, at: string): Operation {
    const key = this.#maybe(KEYS) ?? null;
    const title = this.#maybe(TITLES) ?? null;
    const channel = this.#maybe(["web", "cli"]) ?? null;
    const rest = { model: null, profileId: null, at, resume: this.#flip() };
    return { type: "create", id, idGiven: true, key, title, channel, ...rest };
  }

  #append(conversation: string, at: string): Operation {
    const count = this.#pick([1, 1, 1, 2, 4]);
    const blobs: NewBlob[] = [];
    const entries: NewEntry[] = [];
    while (entries.length < count) {
      const entry = this.#entry(at, blobs);
      if (entries.every(({ id }) => id !== entry.id)) entries.push(entry);
    }
    return {
      ...{ type: "append", conversation, entries, at, maxDepth: 3 },
      ...(blobs.length === 0 ? {} : { blobs }),
      branch: this.#pick([undefined, undefined, undefined, ...BRANCHES, 0, 2, 3]),
      operationId: this.#draw(3) === 0 ? this.#pick(OPERATIONS) : undefined,
      expectedHead: this.#pick([undefined, undefined, undefined, undefined, null, ...ENTRIES.slice(0, 3)]),
      ...(this.#draw(6) === 0 ? { epoch: this.#draw(3) } : {}),
      ...(this.#draw(6) === 0 ? { endsTurn: this.#pick(TURNS) } : {}),
      ...(this.#leases && this.#draw(6) === 0 ? { releases: this.#pick(["me", "you"]) } : {}),
    };
  }

  #entry(at: string, blobs: NewBlob[]): NewEntry {
    const given = this.#draw(3) > 0;
    const id = given ? this.#pick(ENTRIES) : `made-${this.#made++}`;
    if (this.#draw(3) > 0) return { ...this.#message(blobs), id, idGiven: given, at };
    const [kind, data] = this.#control();
    return { id, idGiven: given, kind, at, json: JSON.stringify(data), data };
  }

  #message(blobs: NewBlob[]): Pick<NewEntry, "kind" | "json" | "blobs"> {
    const json = JSON.stringify({ role: this.#pick(["user", "assistant"]), content: this.#pick(TEXTS) });
    if (this.#draw(4) > 0) return { kind: "message", json };
    const index = this.#draw(BLOBS.length);
    const data = BLOBS[index] as Buffer;
    const ref: BlobRef = { hash: HASHES[index] as string, size: data.length, path: [], as: "reference" };
    if (this.#flip()) blobs.push({ hash: ref.hash, size: ref.size, encoding: "none", data });
    return { kind: "message", json, blobs: this.#flip() ? [ref] : [ref, ref] };
  }

  #control(): [kind: string, data: JsonObject] {
    const entry = this.#pick(ENTRIES);
    const branch = this.#draw(8);
    switch (this.#draw(8)) {
      case 0:
        return ["label", { entry, label: this.#maybe(TEXTS) ?? null }];
      case 1:
        return ["compaction", { summary: "short", first_kept: entry, first_kept_seq: 1 + this.#draw(6) }];
      case 2:
        return ["info", { type: "undo-compaction", compaction: entry }];
      case 3:
        return ["info", { type: "checkout", branch, name: "a branch" }];
      case 4:
        return ["info", { type: "flatten", branch, former: this.#pick(BRANCHES) }];
      case 5:
        return ["info", { type: "prune", branches: [branch] }];
      case 6:
        return ["custom", { type: "note", text: this.#pick(TEXTS) }];
      default:
        return ["info", this.#branch(entry)];
    }
  }

  #branch(from: string): JsonObject {
    const data = { type: "branch", name: this.#pick(BRANCHES), from, from_seq: this.#draw(10) };
    return { ...data, checkout: this.#flip(), ...(this.#draw(5) === 0 ? { former: "former" } : {}) };
  }

  #patch(): JsonObject {
    return this.#pick<JsonObject>([
      { title: this.#pick(TITLES) },
      { channel: "web", model: "m-1" },
      { contextState: { summary: this.#pick(TEXTS) } },
      { title: null, contextState: null },
    ]);
  }

  #redact(conversation: string, at: string): Operation {
    const json = JSON.stringify({ role: "user", content: "gone" });
    return { type: "redact", conversation, entry: this.#pick(ENTRIES), json, at };
  }

  #lease(conversation: string): Operation {
    const action = this.#pick(["acquire", "acquire", "renew", "release"] as const);
    const who = { token: this.#pick(["me", "you"]), wait: this.#flip() };
    return { type: "lease", action, conversation, ...who, ttlMs: 3_600_000 };
  }

  #journal(conversation: string): Operation {
    const header = this.#draw(3) === 0 ? undefined : { branch: 0, model: "m-1" };
    const what = { turn: this.#pick(TURNS), position: this.#draw(4), text: this.#pick(TEXTS) };
    return { type: "journal", conversation, epoch: 1 + this.#draw(2), header, ...what };
  }

  #upload(at: string): BlobOperation {
    const index = this.#draw(2);
    const bytes = BLOBS[index] as Buffer;
    const position = this.#pick([0, 0, 4, 11]);
    const data = bytes.subarray(position, this.#flip() ? bytes.length : position + 4);
    const keep = { hash: HASHES[index] as string, size: bytes.length, encoding: "none" } as const;
    return {
      type: "blob",
      upload: `u${index}-${this.#draw(2)}`,
      position,
      data,
      at,
      keep: this.#flip() ? keep : undefined,
    };
  }

  #flip(): boolean {
    return this.#draw(2) === 0;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#draw(list.length)] as T;
  }

  #maybe<T>(list: readonly T[]): T | undefined {
    return this.#flip() ? this.#pick(list) : undefined;
  }
}
