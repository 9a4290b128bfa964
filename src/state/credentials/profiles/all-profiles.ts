/** Own and adopted profiles as one. Our own win where both have an id. */
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

  /** Fails for what is only read. */
  getOwn(id: string, done: string): Profile {
    const profile = this.get(id);
    if (this.originOf(id) === "colloquy") return profile;
    throw new ColloquyError(
      "FORBIDDEN",
      `${id} belongs to OpenClaw and is only read: it is ${done} there, or add a profile of your own`,
      { field: "id" },
    );
  }

  originOf(id: string): ProfileView["origin"] {
    return this.own.profiles.has(id) ? "colloquy" : "openclaw";
  }

  /** Each id once, if all of them are profiles of the provider. */
  checkOrder(provider: string, ids: readonly string[]): string[] {
    for (const id of ids) {
      if (this.get(id).provider !== provider) throw invalid(`${id} is no profile of ${provider}`, "id");
    }
    return [...new Set(ids)];
  }

  /** What could not be read, of the file at `path` and of the adopted one. */
  problems(path: string): string[] {
    const { size } = this.own.unreadable;
    const lost = size === 0 ? [] : [`${path}: ${size} of its profiles cannot be read`];
    return [...lost, ...this.adopted.problems];
  }

  ranked(provider: string, now: number): Ranked[] {
    const profiles = [...this.profiles.values()].filter((profile) => profile.provider === provider);
    return rank(profiles, this.usage, this.order.get(provider) ?? [], now);
  }
}
