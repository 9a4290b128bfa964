/** One open conversation: what it is, what is shown of it, and what happens in it. */
import type { TopicEvent } from "../../../src/gateway/client/index.ts";
import type { BranchView, ConversationDetails } from "../../../src/gateway/wire/rest.ts";
import { ask, listen } from "../api/live.ts";
import { type Outgoing, orderOf } from "../composer/draft.ts";
import { Cell } from "../state/cell.ts";
import { readBranches, readDetails, readEntries, readEntry } from "./requests.ts";
import { nextRunning, type Running, runningOf } from "./running.ts";
import { Timeline } from "./timeline.ts";

/** A message that was sent and is not stored yet. */
export interface Pending extends Outgoing {
  /** Once it is accepted. */
  readonly entry: string | null;
}

export class Chat {
  readonly id: string;
  readonly timeline: Timeline;
  readonly details = new Cell<ConversationDetails | undefined>(undefined);
  readonly problem = new Cell<unknown>(undefined);
  readonly branches = new Cell<readonly BranchView[]>([]);
  readonly running = new Cell<Running | null>(null);
  readonly pending = new Cell<readonly Pending[]>([]);
  /** What was sent last, here: the key of its row. It goes to the top of the window. */
  readonly sent = new Cell<string | null>(null);
  /** The branch that is read, if it is not the one that is checked out. */
  readonly reading = new Cell<string | null>(null);
  /** Why the last answer failed. */
  readonly failure = new Cell<string | null>(null);
  readonly #stopListening: () => void;

  constructor(id: string) {
    this.id = id;
    this.timeline = new Timeline(id);
    this.#stopListening = listen(`conversation:${id}`, (event) => this.#received(event));
    void this.readAgain();
  }

  close(): void {
    this.#stopListening();
    this.timeline.close();
  }

  /** Details and branches; the messages are read by `timeline`. */
  readonly readAgain = async (): Promise<void> => {
    this.problem.set(undefined);
    try {
      const details = await readDetails(this.id);
      this.details.set(details);
      this.branches.set(details.branchCount > 1 ? (await readBranches(this.id)).branches : []);
    } catch (error) {
      this.problem.set(error);
    }
  };

  /** After a branch was checked out, or something on it was removed. */
  readonly readAll = async (): Promise<void> => {
    this.#read(null);
    await Promise.all([this.readAgain(), this.timeline.open("end")]);
  };

  /** Read the branch that has an entry. Nothing is checked out. */
  async readBranchOf(entry: string): Promise<boolean> {
    const { branches } = await readBranches(this.id);
    const { parentId } = await readEntry(this.id, entry);
    const place = parentId === null ? { limit: 1 } : { after: parentId, limit: 1 };
    for (const { name, active } of branches) {
      if (active) continue;
      const [next] = (await readEntries(this.id, { ...place, branch: name })).items;
      if (next?.id !== entry) continue;
      this.#read(name);
      await this.timeline.open(entry);
      return true;
    }
    return false;
  }

  #read(branch: string | null): void {
    this.timeline.branch = branch;
    this.reading.set(branch);
  }

  /** Rejects with the reason; the caller keeps what was typed. */
  async send(message: Outgoing): Promise<void> {
    const { key } = message;
    this.failure.set(null);
    // It follows what is shown.
    await this.timeline.opened();
    this.pending.update((all) => [...all, { ...message, entry: null }]);
    this.sent.set(key);
    try {
      const { entry } = await ask("chat.send", { conversation: this.id, ...orderOf(message) });
      this.pending.update((all) => all.map((one) => (one.key === key ? { ...one, entry } : one)));
      this.#dropStored();
    } catch (error) {
      this.pending.update((all) => all.filter((one) => one.key !== key));
      throw error;
    }
  }

  async stop(): Promise<void> {
    await ask("chat.stop", { conversation: this.id });
  }

  #received(event: TopicEvent): void {
    if (event.event === "refused") return;
    if (event.event === "subscribed") {
      this.running.set(event.data.running && runningOf(event.data.running));
      if (!event.data.resumed) void this.#catchUp();
      return;
    }
    this.running.set(nextRunning(this.running.value, event));
    if (event.event === "conversation.entries") {
      const changesTree = event.data.entries.some(({ kind }) => kind === "info");
      // What is too large for an event is only named there.
      const isWhole = event.data.omitted.length === 0 && this.timeline.add(event.data.entries);
      if (!isWhole || changesTree) void this.readAll();
      this.#dropStored();
    } else if (event.event === "conversation.changed") void this.readAgain();
    else if (event.event === "resync") void this.#catchUp();
    else if (event.event === "chat.started") this.failure.set(null);
    else if (event.event === "chat.failed") this.failure.set(event.data.error.message);
    else if (event.event === "chat.done") void this.readAgain();
  }

  /** Events may be missing: read on from the last entry that is known. */
  async #catchUp(): Promise<void> {
    if (this.timeline.state.value.entries.length === 0) return;
    await Promise.all([this.readAgain(), this.timeline.refresh()]);
    this.#dropStored();
  }

  #dropStored(): void {
    const { entries } = this.timeline.state.value;
    const stored = new Set(entries.flatMap(({ id, operationId }) => [id, operationId]));
    const isStored = ({ key, entry }: Pending): boolean =>
      stored.has(key) || (entry !== null && stored.has(entry));
    if (this.pending.value.some(isStored)) this.pending.update((all) => all.filter((one) => !isStored(one)));
  }
}
