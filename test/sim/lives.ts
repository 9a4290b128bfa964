import { vi } from "vitest";
import type { StoredEntry } from "../../src/message/types.ts";
import { advance, EMPTY_LOG } from "../../src/transcript/log-state.ts";
import { Dice } from "./dice.ts";
import { type Faults, SimulatedDisk } from "./simulated-disk.ts";

/** Where the programs write, beside copies that a power cut may leave in pieces. */
export const FOLDER = "/store";
const LIVES = 3;
const NO_FAULT: Faults = {
  ...{ shortWrite: undefined, bytesLeft: undefined, failingWrites: 0, failingSyncs: 0 },
  ...{ failingRenames: 0, failingFolderSyncs: 0 },
};

/** Several lives of programs on one disk, each ended by a power cut. */
export abstract class Lives {
  protected readonly dice: Dice;
  protected disk: SimulatedDisk;
  /** Faults that the disk has all the time, for the controls. */
  protected readonly lie: Faults;
  readonly #changesMax: number;

  /** `changesMax`: how many changes of the disk a life lasts at most. */
  constructor(seed: number, lie: Faults, changesMax: number) {
    this.dice = new Dice(seed);
    this.disk = new SimulatedDisk(this.dice);
    this.lie = lie;
    this.#changesMax = changesMax;
  }

  /** Calls of one life, until the power fails. */
  protected abstract live(): Promise<void> | void;

  /** What a new process finds. */
  protected abstract inspect(): Promise<void> | void;

  /** Timers must be faked if there are any, so that no real time is spent waiting. */
  async run(): Promise<void> {
    for (let life = 0; life < LIVES; life++) {
      Object.assign(this.disk.faults, this.lie);
      this.disk.faults.crashAt ??= 1 + this.dice.below(this.#changesMax);
      try {
        await this.live();
      } catch (error) {
        // What an injected power cut made of a call is not the question; anything else is.
        if (!this.disk.off) throw error;
      }
      this.disk = this.disk.crash();
      vi.clearAllTimers();
      await this.inspect();
    }
  }

  protected endFaults(): void {
    Object.assign(this.disk.faults, NO_FAULT);
  }

  /** The engine does not read what is deleted, but it must be there. */
  protected entriesInTrash(id: string): StoredEntry[] {
    for (const path of this.#paths().filter((name) => /\/trash\/\d+\.jsonl$/.test(name))) {
      const entries: StoredEntry[] = [];
      const file = this.disk.open(path, "read");
      const { size } = this.disk.statOpen(file);
      const { header } = advance(this.disk, file, EMPTY_LOG, size, {
        entry: (entry) => entries.push(entry),
      });
      this.disk.close(file);
      if (header?.id === id) return entries;
    }
    return [];
  }

  protected checkNothingIsLeft(): void {
    if (this.#paths().some((path) => path.endsWith(".tmp"))) throw new Error("a temporary file is left");
    if (this.disk.openFiles > 0) throw new Error(`${this.disk.openFiles} files are still open`);
  }

  #paths(): string[] {
    return this.disk.paths().filter((path) => path.startsWith(`${FOLDER}/`));
  }
}
