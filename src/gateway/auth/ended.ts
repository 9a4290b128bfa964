/** Tells open connections that their principal was revoked, narrowed or has expired, also by another process. */
import type { Clock } from "../../util/time.ts";
import type { Principal } from "./principal.ts";
import type { Records } from "./records/records.ts";

const LOOK_MS = 250;

export class Ended {
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #isCurrent: (principal: Principal) => boolean;
  readonly #listeners = new Map<() => void, Principal>();
  #version = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(records: Records, clock: Clock, isCurrent: (principal: Principal) => boolean) {
    this.#records = records;
    this.#clock = clock;
    this.#isCurrent = isCurrent;
  }

  /** Calls the listener once: now, if it has ended since it was checked. Returns a function that forgets it. */
  add(principal: Principal, listener: () => void): () => void {
    if (!this.#isCurrent(principal)) {
      listener();
      return () => {};
    }
    // Each call has an entry, even with the same function.
    const entry = (): void => listener();
    this.#listeners.set(entry, principal);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    return () => void this.#listeners.delete(entry);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#listeners.clear();
  }

  #look(): void {
    const now = this.#clock();
    const version = this.#versionNow();
    const isSame = version === this.#version;
    this.#version = version;
    for (const [listener, principal] of this.#listeners) {
      if (principal.expiresAt > now && (isSame || this.#isCurrent(principal))) continue;
      this.#listeners.delete(listener);
      listener();
    }
  }

  /** A file that cannot be read proves nothing, so everyone is asked again; each of them fails closed. */
  #versionNow(): string {
    try {
      return this.#records.version();
    } catch {
      return "";
    }
  }
}
