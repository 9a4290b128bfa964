/**
 * `agents/<id>/auth/profiles.json`: read without a lock, because it is only
 * ever replaced whole; changed under one, after reading it again.
 *
 * A damaged file is set aside and never read as "no profiles". From then on
 * every use fails and names the file, until it is repaired, or the user starts
 * over by adding a profile.
 */
import { basename, join } from "node:path";
import { freeName } from "../../../disk/replace-file.ts";
import { ColloquyError } from "../../../errors.ts";
import { type Clock, timestamp17 } from "../../../util/time.ts";
import { PrivateFile, type PrivateFileOptions } from "../../private-file.ts";
import type { ProfileSet } from "../types.ts";
import { type Damage, NO_PROFILES, parseProfiles, profilesText } from "./profiles-file.ts";

export interface ProfileStoreOptions extends PrivateFileOptions {
  /** Of one agent: `agents/<id>/auth`. */
  readonly folder: string;
  readonly clock: Clock;
}

export class ProfileStore {
  readonly #options: ProfileStoreOptions;
  readonly #file: PrivateFile;

  constructor(options: ProfileStoreOptions) {
    this.#options = options;
    this.#file = new PrivateFile(options.folder, "profiles", options);
  }

  get path(): string {
    return this.#file.path;
  }

  async read(): Promise<ProfileSet> {
    const set = this.#parse();
    if (set === undefined) return this.#missing();
    if (!("line" in set)) return set;
    // Read again under the lock: another process may have repaired it.
    return this.#file.withLock(() => this.#checked(this.#parse(), false));
  }

  /** Read, change and write under the lock. `startOver` allows to continue without a damaged file. */
  async change<T>(
    work: (set: ProfileSet) => Promise<{ set: ProfileSet; result: T }> | { set: ProfileSet; result: T },
    { startOver = false }: { startOver?: boolean } = {},
  ): Promise<T> {
    return this.#file.withLock(async () => {
      const before = this.#checked(this.#parse(), startOver);
      const { set, result } = await work(before);
      if (set !== before) this.#file.write(profilesText(set));
      return result;
    });
  }

  close(): void {
    this.#file.close();
  }

  #parse(): ProfileSet | Damage | undefined {
    const text = this.#file.read();
    return text === undefined ? undefined : parseProfiles(text, this.path);
  }

  /** Only under the lock. */
  #checked(set: ProfileSet | Damage | undefined, startOver: boolean): ProfileSet {
    if (set !== undefined && !("line" in set)) return set;
    const error = set === undefined ? undefined : this.#setAside(set);
    if (!startOver) {
      if (error !== undefined) throw error;
      return this.#missing();
    }
    if (error !== undefined) this.#options.notice(error.message);
    return NO_PROFILES;
  }

  /** A missing file means no profiles, unless one was set aside. */
  #missing(): ProfileSet {
    const { io, folder } = this.#options;
    if (io.stat(folder) === undefined) return NO_PROFILES;
    const aside = io.list(folder).filter((name) => name.startsWith(`${basename(this.path)}.damaged-`));
    const latest = aside.sort().at(-1);
    if (latest === undefined) return NO_PROFILES;
    throw damaged(this.path, join(folder, latest), "was");
  }

  #setAside({ line, column }: Damage): ColloquyError {
    const { io, folder, clock } = this.#options;
    const aside = freeName(io, `${this.path}.damaged-${timestamp17(clock())}`);
    io.rename(this.path, aside);
    io.syncFolder(folder);
    return damaged(this.path, aside, "is", { line, column });
  }
}

function damaged(path: string, aside: string, verb: "is" | "was", at?: Damage): ColloquyError {
  const where = at === undefined ? "" : ` in line ${at.line}, column ${at.column}`;
  return new ColloquyError(
    "VALIDATION_ERROR",
    `${path} ${verb} damaged${where} and is kept as ${aside}. Repair it and rename it back, or start over by adding a profile`,
    { field: "profiles.json", details: { file: path, aside, ...at } },
  );
}
