/** One open conversation: what it is, what is shown of it, and what happens in it. */
import type { TopicEvent } from "../../../src/gateway/client/index.ts";
import type { WaitingMessage } from "../../../src/gateway/wire/frames.ts";
import type { BranchView, ConversationDetails } from "../../../src/gateway/wire/rest.ts";
import { ask, listen } from "../api/live.ts";
import { type Outgoing, orderOf } from "../composer/draft.ts";
import { Cell } from "../state/cell.ts";
import { showToast } from "../ui/toast.tsx";
import { checkOut, readBranches, readDetails, readEntries, readEntry } from "./requests.ts";
import { nextRunning, type Running, runningOf } from "./running.ts";
import { isGone } from "./stretch.ts";
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
  /** The branch that is shown, if `reading` does not name another one. */
  #shown: string | undefined;
  /** Changes of the tree that the reader has asked for, here. */
  #moves = 0;

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
      this.#keepBranch(details.branch);
      this.branches.set(details.branchCount > 1 ? (await readBranches(this.id)).branches : []);
    } catch (error) {
      this.problem.set(error);
    }
  };

  /** The reader changes the tree: what is shown follows. */
  async move(change: () => Promise<unknown>): Promise<void> {
    this.#moves++;
    try {
      await change();
      await this.readAll();
    } finally {
      this.#moves--;
    }
  }

  /** The branch that is checked out, at its end. */
  readonly readAll = async (): Promise<void> => {
    this.#shown = undefined;
    this.#read(null);
    await Promise.all([this.readAgain(), this.timeline.open("end")]);
  };

  /** Read the branch that has an entry. Nothing is checked out. */
  async #readBranchOf(entry: string): Promise<boolean> {
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

  /** A link may name an entry of another branch, or one that is gone. */
  async readLinked(entry: string): Promise<void> {
    const isFound = await this.#readBranchOf(entry).catch((error: unknown) => !isGone(error));
    if (!isFound) showToast("The message that the link names is not in this conversation any more.");
  }

  /** Somebody else may have checked out another branch. That must not turn the page for this reader. */
  #keepBranch(active: string): void {
    this.#shown ??= active;
    if (this.#moves > 0) return;
    if (this.reading.value === active) this.#read(null);
    else if (this.reading.value === null && this.#shown !== active) this.#read(this.#shown);
  }

  #read(branch: string | null): void {
    this.timeline.branch = branch;
    if (branch !== null) this.#shown = branch;
    this.reading.set(branch);
  }

  /** Rejects with the reason; the caller keeps what was typed. */
  async send(message: Outgoing): Promise<void> {
    const { key } = message;
    this.failure.set(null);
    // It follows what is shown.
    const branch = this.reading.value;
    if (branch !== null) await this.move(() => checkOut(this.id, branch));
    await this.timeline.opened();
    this.pending.update((all) => [...all, { ...message, entry: null }]);
    this.sent.set(key);
    try {
      const { entry } = await ask("chat.send", { conversation: this.id, ...orderOf(message) });
      this.pending.update((all) =>
        all
          .filter((one) => one.key === key || one.entry !== entry)
          .map((one) => (one.key === key ? { ...one, entry } : one)),
      );
      this.#dropStored();
    } catch (error) {
      this.pending.update((all) => all.filter((one) => one.key !== key));
      throw error;
    }
  }

  async stop(): Promise<void> {
    const run = this.running.value?.run;
    await ask("chat.stop", { conversation: this.id, ...(run !== undefined && { run }) });
  }

  #received(event: TopicEvent): void {
    if (event.event === "refused") return;
    if (event.event === "subscribed") {
      this.running.set(event.data.running && runningOf(event.data.running));
      this.#addWaiting(event.data.waiting);
      if (!event.data.resumed) void this.#catchUp();
      return;
    }
    this.running.set(nextRunning(this.running.value, event));
    if (event.event === "conversation.entries") {
      const { entries, omitted } = event.data;
      // What is too large for an event is only named there.
      const isWhole = omitted.length === 0 && this.timeline.add(entries);
      const isMissing = omitted.length > 0 || (!isWhole && this.reading.value === null);
      if (isMissing || entries.some(({ kind }) => kind === "info")) void this.#catchUp();
      this.#dropStored();
    } else if (event.event === "conversation.changed") {
      // Purged: nothing of it may stay.
      if (event.data.info === null) this.details.set(undefined);
      void this.readAgain();
    } else if (event.event === "resync") void this.#catchUp();
    else if (event.event === "chat.waiting") this.#addWaiting([event.data]);
    else if (event.event === "chat.started") this.failure.set(null);
    else if (event.event === "chat.failed") this.failure.set(event.data.error.message);
    else if (event.event === "chat.done") void this.readAgain();
  }

  /** Read what is shown again: something may be missing, moved or erased. */
  async #catchUp(): Promise<void> {
    await this.readAgain();
    if (this.#moves > 0) return;
    await this.timeline.refresh();
    this.#dropStored();
  }

  /** Messages that were sent before this page was loaded, or elsewhere. */
  #addWaiting(waiting: readonly WaitingMessage[]): void {
    for (const { entry, text } of waiting) {
      if (this.pending.value.some((one) => one.entry === entry)) continue;
      // It may be told that a message waits before its sender is told that it was accepted.
      const own = this.pending.value.find((one) => one.entry === null && one.text === text);
      this.pending.update((all) =>
        own
          ? all.map((one) => (one === own ? { ...one, entry } : one))
          : [...all, { key: entry, entry, text, files: [] }],
      );
    }
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
