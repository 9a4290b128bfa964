/** The events of one topic: numbered, the last ones kept for those who were cut off. */
import { isInScope, type ScopedConversation } from "../auth/principal.ts";
import type { Scope } from "../wire/auth.ts";
import type { EventName, Events } from "../wire/frames.ts";

/** One that listens: a connection. */
export interface Subscriber {
  readonly scope: Scope | null;
  /** `n` is the number of the event, for the case that it cannot be sent. */
  deliver(frame: Buffer, topic: string, n: number): void;
}

export type TextMode = "deltas" | "chunks";

interface Kept {
  readonly n: number;
  readonly event: EventName;
  readonly subject: ScopedConversation | undefined;
  /** Encoded once, and the same bytes for all. */
  readonly frame: Buffer;
}

const KEPT_MAX = 4096;
const KEPT_BYTES_MAX = 2 * 1024 * 1024;

export class Topic {
  readonly name: string;
  readonly subscribers: Map<Subscriber, TextMode> = new Map();
  /** What scopes are compared with, in the topic of a conversation. */
  subject: ScopedConversation | undefined;
  #n: number;
  /** Events after this one are known. */
  #known: number;
  readonly #kept: Kept[] = [];
  #bytes = 0;

  constructor(name: string, n: number, subject: ScopedConversation | undefined) {
    this.name = name;
    this.subject = subject;
    this.#n = n;
    this.#known = n;
  }

  get n(): number {
    return this.#n;
  }

  publish<Name extends EventName>(
    event: Name,
    data: Events[Name],
    subject: ScopedConversation | undefined = this.subject,
  ): void {
    const n = ++this.#n;
    const frame = Buffer.from(JSON.stringify({ type: "event", event, topic: this.name, n, data }));
    const kept: Kept = { n, event, subject, frame };
    this.#keep(kept);
    for (const [subscriber, text] of this.subscribers) {
      if (isFor(kept, subscriber, text)) subscriber.deliver(frame, this.name, n);
    }
  }

  /** What was kept may have content that is erased now: those who come back must read the topic again. */
  forget(): void {
    this.#kept.length = 0;
    this.#bytes = 0;
    this.#known = this.#n;
  }

  /** Send what came after `n`. `false` if some of it is no longer known, or `n` is not a number of this topic. */
  replay(subscriber: Subscriber, text: TextMode, after: number): boolean {
    if (after < this.#known || after > this.#n) return false;
    for (const kept of this.#kept) {
      if (kept.n > after && isFor(kept, subscriber, text)) subscriber.deliver(kept.frame, this.name, kept.n);
    }
    return true;
  }

  #keep(kept: Kept): void {
    this.#kept.push(kept);
    this.#bytes += kept.frame.length;
    while (this.#kept.length > KEPT_MAX || this.#bytes > KEPT_BYTES_MAX) {
      const oldest = this.#kept.shift() as Kept;
      this.#known = oldest.n;
      this.#bytes -= oldest.frame.length;
    }
  }
}

const DELTAS: ReadonlySet<EventName> = new Set(["chat.delta", "chat.thinking"]);

function isFor({ event, subject }: Kept, { scope }: Subscriber, text: TextMode): boolean {
  if (text === "chunks" ? DELTAS.has(event) : event === "chat.chunk") return false;
  // Everything in a topic that has no subject is about the topic itself.
  return scope === null || event === "resync" || (subject !== undefined && isInScope(scope, subject));
}
