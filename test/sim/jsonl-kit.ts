/** An engine on a simulated disk, and short words for what tests do with it. */
import { createHash } from "node:crypto";
import type {
  AppendOperation,
  BlobEncoding,
  ConversationInfo,
  NewBlob,
  NewEntry,
  Operation,
  Outcome,
} from "../../src/engine/index.ts";
import { JsonlEngine } from "../../src/engine/jsonl/jsonl-engine.ts";
import type { ColloquyError } from "../../src/errors.ts";
import type { BlobRef, StoredEntry } from "../../src/message/types.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { isoTime } from "../../src/util/time.ts";
import { Dice } from "./dice.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

export const FOLDER = "/store";
const START_MS: number = Date.UTC(2026, 0, 1);
export const STEM = "20260101000000000";
export const AT: string = isoTime(START_MS);

export interface Opened {
  readonly engine: JsonlEngine;
  readonly problems: ColloquyError[];
}

export function newDisk(): SimulatedDisk {
  return new SimulatedDisk(new Dice(1));
}

let opened = 1;

export async function open(disk: SimulatedDisk, folder: string = FOLDER, readonly = false): Promise<Opened> {
  const problems: ColloquyError[] = [];
  const onProblem = (problem: ColloquyError): void => void problems.push(problem);
  const engine = await JsonlEngine.open(
    folder,
    { readonly, durability: "full", lockWaitMs: 1000, onProblem },
    { io: disk, clock: () => START_MS, random: new Dice(opened++).fill },
  );
  return { engine, problems };
}

/** Do one thing that must succeed. */
export async function done(
  engine: JsonlEngine,
  operation: Operation,
): Promise<Extract<Outcome, { ok: true }>> {
  const [outcome] = await engine.commit([operation]);
  if (!outcome?.ok) throw outcome?.error;
  return outcome;
}

let number = 0;

export async function created(engine: JsonlEngine): Promise<string> {
  const id = `019b76da-0000-7000-8000-${String(++number).padStart(12, "0")}`;
  const none = { key: null, title: null, channel: null, model: null, profileId: null };
  const create = { type: "create", id, idGiven: true, ...none, at: AT, resume: false } as const;
  return ((await done(engine, create)).info as ConversationInfo).id;
}

export function say(id: string, text: string = `text of ${id}`, blobs: readonly BlobRef[] = []): NewEntry {
  const json = JSON.stringify({ role: "user", content: text });
  return { id, idGiven: true, kind: "message", at: AT, json, blobs };
}

export function control(id: string, data: JsonObject): NewEntry {
  return { id, idGiven: true, kind: "info", at: AT, json: JSON.stringify(data), data };
}

export function append(
  conversation: string,
  entries: readonly NewEntry[],
  more: Partial<AppendOperation> = {},
): AppendOperation {
  const base = { operationId: undefined, expectedHead: undefined, at: AT };
  return { type: "append", conversation, entries, ...base, ...more };
}

/** `main`: a b c, and the branch `side` that leaves it at a: x y. */
export async function branched(engine: JsonlEngine): Promise<string> {
  const id = await created(engine);
  await done(engine, append(id, [say("a"), say("b")]));
  const data = { type: "branch", name: "side", from: "a", from_seq: 1, checkout: false };
  await done(engine, append(id, [control("fork", data), say("x")]));
  await done(engine, append(id, [say("c")], { branch: "main" }));
  await done(engine, append(id, [say("y")], { branch: "side" }));
  return id;
}

export function entriesOf(engine: JsonlEngine, conversation: string, branch?: string | null): StoredEntry[] {
  const all = { from: null, limit: 1000, bytesMax: Number.MAX_SAFE_INTEGER, kind: undefined };
  return engine.page({ conversation, direction: "forward", ...all, branch }).entries;
}

export function idsOf(engine: JsonlEngine, conversation: string, branch?: string | null): string[] {
  return entriesOf(engine, conversation, branch).map(({ id }) => id);
}

export async function codes(engine: JsonlEngine): Promise<string[]> {
  return (await engine.verify()).findings.map(({ code }) => code);
}

export function blobOf(
  data: Buffer,
  encoding: BlobEncoding = "none",
  original: Buffer = data,
): { blob: NewBlob; ref: BlobRef } {
  const hash = createHash("sha256").update(original).digest("hex");
  return {
    blob: { hash, size: original.length, encoding, data },
    ref: { hash, size: original.length, path: [], as: "reference" },
  };
}
