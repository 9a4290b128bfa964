/** What a client listens to, and how far it has read. */
import type { AnyEventFrame, Methods } from "../wire/frames.ts";
import type { ErrorBody } from "../wire/rest.ts";

export interface SubscribeOptions {
  /** Text as it is streamed, or in whole chunks. The same for all listeners of a topic. Default: `deltas`. */
  readonly text?: "deltas" | "chunks";
}

/** What a listener is told: the events of the gateway, and two of the client. */
export type TopicEvent =
  | AnyEventFrame
  /** Events follow from here. If `resumed` is false, some may be missing: read the topic again. */
  | {
      readonly event: "subscribed";
      readonly topic: string;
      readonly data: { readonly resumed: boolean } & Pick<Result, "running" | "waiting">;
    }
  /** The gateway does not allow it, or there is no such conversation. No events follow. */
  | { readonly event: "refused"; readonly topic: string; readonly data: ErrorBody["error"] };

export type TopicListener = (event: TopicEvent) => void;

type Params = Methods["subscribe"]["params"];
type Result = Methods["subscribe"]["result"];
type Ask = (params: Params) => Promise<Result>;

class Subscription {
  readonly listeners = new Set<TopicListener>();
  readonly #topic: string;
  readonly #text: "deltas" | "chunks";
  #stream: string | undefined;
  #n = 0;
  #hasGap = false;
  /** Requests without an answer, and what came meanwhile: events after the snapshot must follow it. */
  #openings = 0;
  #held: AnyEventFrame[] = [];

  constructor(topic: string, text: "deltas" | "chunks") {
    this.#topic = topic;
    this.#text = text;
  }

  /** Ask for events, after those that were seen. */
  async open(ask: Ask, listeners: Iterable<TopicListener>): Promise<void> {
    const topic = this.#topic;
    const before = this.#stream;
    const position = before === undefined ? {} : { after: this.#n, stream: before };
    let event: TopicEvent | undefined;
    this.#openings++;
    try {
      const { stream, n, running, waiting } = await ask({ topic, text: this.#text, ...position });
      this.#deliverHeld(n);
      this.#stream = stream;
      this.#n = Math.max(this.#n, n);
      const resumed = before === stream && !this.#hasGap;
      event = { event: "subscribed", topic, data: { resumed, running, waiting } };
      this.#hasGap = false;
    } catch (error) {
      const { code, message, field = null } = error as ErrorBody["error"];
      // It is asked again on the next connection.
      if (code !== "NETWORK_ERROR") event = { event: "refused", topic, data: { code, message, field } };
    } finally {
      this.#openings--;
    }
    if (event !== undefined) for (const listener of listeners) listener(event);
    if (this.#openings === 0) this.#deliverHeld();
  }

  received(frame: AnyEventFrame): void {
    if (this.#openings === 0) this.#deliver(frame);
    else this.#held.push(frame);
  }

  /** Deliver what was held back, up to an event. */
  #deliverHeld(n = Number.POSITIVE_INFINITY): void {
    const due = this.#held.filter((frame) => frame.n <= n);
    this.#held = this.#held.filter((frame) => frame.n > n);
    for (const frame of due) this.#deliver(frame);
  }

  /** Events that were seen before are dropped. */
  #deliver(frame: AnyEventFrame): void {
    if (frame.event === "resync") {
      this.#hasGap = true;
      this.#n = frame.n;
    } else if (frame.n <= this.#n) return;
    this.#n = frame.n;
    for (const listener of this.listeners) listener(frame);
  }
}

export class Subscriptions {
  readonly #topics = new Map<string, Subscription>();

  /** Returns what to send now, if there is a connection. */
  add(
    topic: string,
    listener: TopicListener,
    { text = "deltas" }: SubscribeOptions,
  ): (ask: Ask) => Promise<void> {
    const known = this.#topics.get(topic) ?? new Subscription(topic, text);
    this.#topics.set(topic, known);
    known.listeners.add(listener);
    return (ask) => known.open(ask, [listener]);
  }

  /** Whether it was the last one of its topic. */
  remove(topic: string, listener: TopicListener): boolean {
    const known = this.#topics.get(topic);
    if (known === undefined || !known.listeners.delete(listener) || known.listeners.size > 0) return false;
    return this.#topics.delete(topic);
  }

  received(frame: AnyEventFrame): void {
    this.#topics.get(frame.topic)?.received(frame);
  }

  /** After a new connection. */
  openAll(ask: Ask): void {
    for (const subscription of this.#topics.values()) void subscription.open(ask, subscription.listeners);
  }
}
