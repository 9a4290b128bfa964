/** Who listens to what. Topics exist while somebody listens, and a while longer for those who come back. */
import { randomUUID } from "node:crypto";
import type { ScopedConversation } from "../auth/principal.ts";
import type { EventName, Events } from "../wire/frames.ts";
import { type Subscriber, type TextMode, Topic } from "./topic.ts";

export const LIST_TOPIC = "conversations";

export function topicOf(conversation: string): `conversation:${string}` {
  return `conversation:${conversation}`;
}

export interface SubscribeOrder {
  readonly topic: string;
  readonly subject: ScopedConversation | undefined;
  readonly text: TextMode;
  /** The last event that was seen, and the stream that it belongs to. */
  readonly after: number | undefined;
  readonly stream: string | undefined;
}

const KEPT_IDLE_MS = 120_000;
const SWEEP_MS = 30_000;

export class Hub {
  /** Numbers of another gateway, or of this one before its restart, mean nothing. */
  readonly stream: string = randomUUID();
  readonly #topics = new Map<string, Topic>();
  readonly #idleSince = new Map<Topic, number>();
  readonly #sweeps: NodeJS.Timeout;
  /** New topics start here, above every number of one that was forgotten: a client that comes back with it has missed something. */
  #floor = 0;

  constructor() {
    this.#sweeps = setInterval(() => this.#sweep(performance.now() - KEPT_IDLE_MS), SWEEP_MS).unref();
  }

  /** Nothing happens in a topic that does not exist: its listeners begin with a snapshot. */
  publish<Name extends EventName>(
    topic: string,
    event: Name,
    data: Events[Name],
    subject?: ScopedConversation,
  ): void {
    this.#topics.get(topic)?.publish(event, data, subject);
  }

  /** Whether events of a topic are kept: somebody listens, or may come back and ask for what was missed. */
  isKept(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Whether anybody listens. */
  isWanted(topic: string): boolean {
    return (this.#topics.get(topic)?.subscribers.size ?? 0) > 0;
  }

  /** Content of a conversation was erased. It must not be sent again, nor stay where it is shown. */
  erased(conversation: string): void {
    const topic = this.#topics.get(topicOf(conversation));
    topic?.forget();
    topic?.publish("resync", { reason: "erased" });
    // Rows have words of the messages. Those who are connected get the new row.
    this.#topics.get(LIST_TOPIC)?.forget();
  }

  /** Where a conversation is now: those whose scope it has left get no more events. */
  moved(conversation: string, subject: ScopedConversation): void {
    const topic = this.#topics.get(topicOf(conversation));
    if (topic !== undefined) topic.subject = subject;
  }

  /** Sends what was missed, and returns the number of the last event. */
  subscribe(subscriber: Subscriber, { topic: name, subject, text, after, stream }: SubscribeOrder): number {
    const topic = this.#topics.get(name) ?? new Topic(name, this.#floor, subject);
    this.#topics.set(name, topic);
    topic.subject = subject;
    this.#idleSince.delete(topic);
    if (after !== undefined) {
      const isSame = stream === undefined || stream === this.stream;
      if (!isSame) sendResync(subscriber, topic, "restarted");
      else if (!topic.replay(subscriber, text, after)) sendResync(subscriber, topic, "too-old");
    }
    topic.subscribers.set(subscriber, text);
    return topic.n;
  }

  unsubscribe(subscriber: Subscriber, name: string): void {
    const topic = this.#topics.get(name);
    if (topic?.subscribers.delete(subscriber) && topic.subscribers.size === 0) {
      this.#idleSince.set(topic, performance.now());
    }
  }

  close(): void {
    clearInterval(this.#sweeps);
  }

  #sweep(before: number): void {
    for (const [topic, since] of this.#idleSince) {
      if (since > before) continue;
      this.#idleSince.delete(topic);
      this.#topics.delete(topic.name);
      this.#floor = Math.max(this.#floor, topic.n + 1);
    }
  }
}

/** The frame that tells one listener that events are missing. */
export function resyncFrame(topic: string, n: number, reason: Events["resync"]["reason"]): Buffer {
  return Buffer.from(JSON.stringify({ type: "event", event: "resync", topic, n, data: { reason } }));
}

function sendResync(subscriber: Subscriber, topic: Topic, reason: Events["resync"]["reason"]): void {
  subscriber.deliver(resyncFrame(topic.name, topic.n, reason), topic.name, topic.n);
}
