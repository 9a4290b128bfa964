/** Everything that happens while people watch: what is stored, and the answers that are being written. */
import type { ColloquyError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { Chats, type ChatsOptions } from "../chat/chats.ts";
import { Followers } from "../chat/followers.ts";
import type { Publish } from "../chat/publish.ts";
import type { RunningAnswer } from "../wire/frames.ts";
import { Feed } from "./feed.ts";
import { Hub, topicOf } from "./hub.ts";

export interface LiveOptions {
  readonly store: Store;
  readonly agentFor: ChatsOptions["agentFor"];
  /** After each change of the store, by any process. */
  readonly onChange: () => void;
  readonly onProblem: (problem: ColloquyError) => void;
}

export class Live {
  readonly hub: Hub = new Hub();
  readonly chats: Chats;
  readonly followers: Followers;
  readonly #feed: Feed;

  constructor({ store, agentFor, onChange, onProblem }: LiveOptions) {
    const publish = (conversation: string): Publish => {
      const topic = topicOf(conversation);
      return (event, data) => this.hub.publish(topic, event, data);
    };
    const onRunning = (conversation: string): void => this.#feed.touch(conversation);
    this.chats = new Chats({
      agentFor,
      publish,
      redaction: store.redaction,
      onRunning,
      onProblem,
    });
    this.followers = new Followers({
      store,
      publish,
      onRunning,
      onProblem,
      isWanted: (conversation) => this.hub.isWanted(topicOf(conversation)),
      ownRun: (conversation) => this.chats.firstRun(conversation),
    });
    this.#feed = new Feed({
      store,
      hub: this.hub,
      onChange,
      onProblem,
      isRunning: (conversation) => this.isRunning(conversation),
      onEntries: (conversation, entries) => {
        this.chats.entered(conversation, entries);
        this.followers.entered(conversation, entries);
      },
    });
    this.#feed.start();
  }

  isRunning(conversation: string): boolean {
    return this.chats.isRunning(conversation) || this.followers.isRunning(conversation);
  }

  running(conversation: string): RunningAnswer | null {
    return this.chats.running(conversation) ?? this.followers.running(conversation);
  }

  /** Answers have `graceMs` to end; then they are stopped, and what was streamed is kept. */
  async close(graceMs: number): Promise<void> {
    await this.chats.close(graceMs);
    await this.followers.close();
    await this.#feed.close();
    this.hub.close();
  }
}
