/** Own and adopted profiles together. Our own win where both have the same id. */
import { ColloquyError, invalid } from "../../../errors.ts";
import { type Ranked, rank } from "../choose/order.ts";
import type { Profile, ProfileSet, ProfileView, Usage } from "../types.ts";
import { noSuchProfile } from "./names.ts";
import type { Adopted } from "./openclaw.ts";

export class AllProfiles {
  readonly own: ProfileSet;
  readonly adopted: Adopted;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly usage: ReadonlyMap<string, Usage>;
  readonly order: ReadonlyMap<string, readonly string[]>;

  constructor(own: ProfileSet, adopted: Adopted) {
    this.own = own;
    this.adopted = adopted;
    this.profiles = new Map([...adopted.set.profiles, ...own.profiles]);
    this.usage = new Map([...adopted.set.usage, ...own.usage]);
    this.order = new Map([...adopted.set.order, ...own.order]);
  }

  get(id: string): Profile {
    const profile = this.profiles.get(id);
    if (profile === undefined) throw noSuchProfile(id, this.profiles.keys());
    return profile;
  }

  /** Fails for adopted profiles, which are read-only. */
  getOwn(id: string, done: string): Profile {
    const profile = this.get(id);
    if (this.originOf(id) === "colloquy") return profile;
    throw new ColloquyError(
      "FORBIDDEN",
      `${id} belongs to OpenClaw and cannot be ${done} here. Change it there, or add your own profile`,
      { field: "id" },
    );
  }

  originOf(id: string): ProfileView["origin"] {
    return this.own.profiles.has(id) ? "colloquy" : "openclaw";
  }

  /** The ids without duplicates. Fails unless all are profiles of the provider. */
  checkOrder(provider: string, ids: readonly string[]): string[] {
    for (const id of ids) {
      if (this.get(id).provider !== provider) throw invalid(`${id} is not a profile of ${provider}`, "id");
    }
    return [...new Set(ids)];
  }

  /** Problems of the file at `path` and of the adopted one. */
  problems(path: string): string[] {
    const { size } = this.own.unreadable;
    const lost = size === 0 ? [] : [`${path}: cannot read ${size} of its profiles`];
    return [...lost, ...this.adopted.problems];
  }

  ranked(provider: string, now: number): Ranked[] {
    const profiles = [...this.profiles.values()].filter((profile) => profile.provider === provider);
    return rank(profiles, this.usage, this.order.get(provider) ?? [], now);
  }
}
