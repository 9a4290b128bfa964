/**
 * What writers write. Everything follows from a writer's name and a number, so
 * that a checker in another process can say what each message must be without
 * having seen it.
 */
import { crc32 } from "node:zlib";
import type { MessageInput } from "../../src/index.ts";

/** One thing that a writer does. Reported twice: when it begins and when it was acknowledged. */
export interface Step {
  readonly writer: string;
  /** Numbers the steps of one writer. */
  readonly n: number;
  readonly kind: "append" | "turn" | "create" | "title" | "delete";
  /** A session key. */
  readonly conversation: string;
  /** The messages of an append: `first`, `first + 1` … Numbers never come twice from one writer. */
  readonly first: number;
  readonly count: number;
  /** An append to a branch of the writer's own, which is made first when it is not there. */
  readonly side?: boolean;
  /** How a retry of an append is recognised. `none` cannot be retried. */
  readonly named: "message" | "operation" | "none";
}

/** From a writer to its parent, one JSON value a line. */
export type Report =
  | { readonly type: "ready" }
  | { readonly type: "began"; readonly step: Step }
  /** `ns` is the monotonic clock, which all processes of a machine share. */
  | { readonly type: "acknowledged"; readonly writer: string; readonly n: number; readonly ns: string }
  | { readonly type: "failed"; readonly code: string; readonly message: string }
  | { readonly type: "done" };

export interface Command {
  readonly target: string;
  readonly durability: "full" | "process";
  readonly writer: string;
  readonly seed: number;
  /** The largest message, in characters, roughly. */
  readonly largest: number;
  /** So many conversations are shared by all writers. */
  readonly shared: number;
  /** Also create, rename and delete private conversations. */
  readonly lifecycle: boolean;
  /** Steps that a dead writer began and that may or may not be done: repeated first. */
  readonly retry: readonly Step[];
  /** Stop after this many appends; otherwise continue until killed. */
  readonly appends?: number;
}

/** Letters, quotes, line separators, CJK and astral characters: a torn write can fall into any of them. */
const FILLER = 'Zwölf "Boxkämpfer"\n\u2028\u2029 jagen 世界のあちこちへ 😀👩‍👩‍👧 \\ ';

/** From here on it is written as what a tool answered, which the store keeps apart. */
const LARGE_PART = 16 * 1024;

export function sharedKey(index: number): string {
  return `cli:shared-${index}`;
}

function prefixOf(writer: string, number: number): string {
  return `${writer}/${number}: `;
}

/** Mostly short, now and then so long that one write spans many pages. */
export function contentOf(writer: string, number: number, largest: number): string {
  const hash = crc32(prefixOf(writer, number));
  const share = hash % 50 === 0 ? 1 : hash % 10 === 0 ? 0.1 : hash % 3 === 0 ? 0.01 : 0.001;
  const length = Math.max(1, ((hash >>> 8) % Math.ceil(largest * share + 1)) / FILLER.length);
  return prefixOf(writer, number) + FILLER.repeat(Math.ceil(length));
}

export function messagesOf(step: Step, largest: number): MessageInput[] {
  return Array.from({ length: step.count }, (_, index) => {
    const number = step.first + index;
    const content = contentOf(step.writer, number, largest);
    const message: MessageInput =
      content.length >= LARGE_PART
        ? { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] }
        : { role: number % 2 === 0 ? "user" : "assistant", content };
    return step.named === "message" ? { ...message, id: `${step.writer}-${number}` } : message;
  });
}

export function operationOf(step: Step): { operationId?: string } {
  return step.named === "operation" ? { operationId: `${step.writer}-op-${step.n}` } : {};
}

export function sideOf({ writer }: Step): string {
  return `side-${writer}`;
}

/** The answer of a turn, in pieces as a model streams it. */
export function piecesOf(step: Step, largest: number): string[] {
  const content = contentOf(step.writer, step.first, largest);
  const size = Math.ceil(content.length / 4);
  return Array.from({ length: 4 }, (_, index) => content.slice(index * size, (index + 1) * size));
}

export function titleOf(step: Step): string {
  return `${step.writer} step ${step.n}`;
}

/** A small generator with a seed, so that a failing run can be repeated. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
