/**
 * The credentials of one agent.
 *
 * Secrets stay references or sealed values until a caller asks for one with
 * `resolve`; nothing else returns them. Profiles of OpenClaw can be used in
 * place (`adoptFrom`); their usage is recorded on our side.
 */

import { type FileIo, systemIo } from "../../disk/file-io.ts";
import { invalid } from "../../errors.ts";
import { checkObject, checkString, checkStrings } from "../../util/checked-arguments.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { type Clock, systemClock } from "../../util/time.ts";
import { systemRandom } from "../../util/uuid.ts";
import { type Environment, stateLayout } from "../folder.ts";
import { afterFailure, afterSuccess } from "./choose/cooldown.ts";
import { type RefreshParts, refreshToken } from "./choose/refresh.ts";
import { type ResolveParts, resolveBest, resolveOne } from "./choose/resolve.ts";
import type { CredentialsOptions, CredentialsReport } from "./options.ts";
import { AllProfiles } from "./profiles/all-profiles.ts";
import { checkProvider } from "./profiles/names.ts";
import { newProfile } from "./profiles/new-profile.ts";
import { adoptProfiles } from "./profiles/openclaw.ts";
import { withOrder, withoutProfile, withProfile, withUsage } from "./profiles/profile-edits.ts";
import { ProfileStore } from "./profiles/profile-store.ts";
import { sealAgain, sealPlain } from "./profiles/seal-profiles.ts";
import { testProfile } from "./profiles/test-profile.ts";
import { tryRead, viewOf } from "./profiles/view.ts";
import { KeyRing } from "./secret/key-ring.ts";
import { Secrets } from "./secret/secrets.ts";
import {
  FAILURES,
  type FailureKind,
  type NewProfile,
  type ProfileSet,
  type ProfileView,
  type Refresher,
  type Resolved,
  type TestResult,
  type Usage,
} from "./types.ts";

/** Open the credentials of an agent. Reads and creates nothing before the first call. */
export function openCredentials(options: CredentialsOptions): Credentials {
  checkObject(options, "options");
  checkString(options.stateDir, "stateDir");
  return new Credentials(options);
}

export class Credentials {
  readonly agentId: string;
  readonly #options: CredentialsOptions;
  readonly #env: Environment;
  readonly #clock: Clock;
  readonly #io: FileIo;
  readonly #adoptFrom: string | undefined;
  readonly #keys: KeyRing;
  readonly #secrets: Secrets;
  readonly #store: ProfileStore;
  readonly #refreshing: RefreshParts;

  constructor(options: CredentialsOptions) {
    const { stateDir, platform = process.platform, onNotice: notice = () => {} } = options;
    const { env = process.env, clock = systemClock, io = systemIo, random = systemRandom } = options;
    this.#options = options;
    this.agentId = options.agentId ?? "main";
    const folder = stateLayout(stateDir).agent(this.agentId).auth;
    this.#env = env;
    this.#clock = clock;
    this.#io = io;
    this.#adoptFrom = options.adoptFrom;
    this.#keys = new KeyRing({ stateDir, env, io, random, notice, platform });
    this.#secrets = new Secrets(this.#keys, env, random, this.agentId);
    this.#store = new ProfileStore({ folder, io, random, clock, notice });
    this.#refreshing = { store: this.#store, secrets: this.#secrets, io, folder, clock };
  }

  /** Those of another agent in the same state folder. */
  of(agentId: string): Credentials {
    checkString(agentId, "agentId");
    return agentId === this.agentId ? this : new Credentials({ ...this.#options, agentId });
  }

  /** Changes when a profile of a provider, or any, is added, changed or removed, and not when one is used. */
  async stamp(provider?: string): Promise<string> {
    const profiles = [...(await this.#all()).profiles.values()].filter(
      (profile) => provider === undefined || profile.provider === provider,
    );
    const parts = profiles.map(({ id, credential, createdAt }) => [id, credential, createdAt]);
    return sha256Hex(JSON.stringify(parts));
  }

  /** Store a credential. A value is sealed; a reference is kept as a reference. */
  async add(input: NewProfile): Promise<ProfileView> {
    const profile = newProfile(input, this.#clock());
    await this.#change((set) => withProfile(set, profile, input.replace === true), { startOver: true });
    return this.#view(await this.#all(), profile.id);
  }

  /** Every profile, masked. Runs no commands. */
  async list(): Promise<readonly ProfileView[]> {
    return (await this.report()).profiles;
  }

  /** The providers that have a profile. Reads no secret. */
  async providers(): Promise<string[]> {
    const profiles = [...(await this.#all()).profiles.values()];
    return [...new Set(profiles.map(({ provider }) => provider))];
  }

  /** The profiles, their order, and problems of the files. */
  async report(): Promise<CredentialsReport> {
    const all = await this.#all();
    const profiles = await Promise.all([...all.profiles.keys()].map((id) => this.#view(all, id)));
    return { profiles, order: Object.fromEntries(all.order), problems: all.problems(this.#store.path) };
  }

  async remove(id: string): Promise<void> {
    (await this.#all()).getOwn(id, "removed");
    await this.#change((set) => withoutProfile(set, id));
  }

  /** Check that the secret is available, well-formed and not expired. Does not contact the provider. */
  async test(id: string): Promise<TestResult> {
    const all = await this.#all();
    return testProfile(this.#secrets, all.get(id), await this.#view(all, id), this.#clock());
  }

  /**
   * Return a secret for use: of a profile by id, or of the best profile of a
   * provider. With a refresher, an expired token is refreshed first.
   */
  async resolve(which: string, options: { refresher?: Refresher } = {}): Promise<Resolved> {
    checkString(which, "which");
    checkObject(options, "options");
    const { refresher } = options;
    const all = await this.#all();
    const now = this.#clock();
    const refresh = refresher === undefined ? {} : { refresh: this.#refreshWith(all, refresher) };
    const parts: ResolveParts = { secrets: this.#secrets, now, ...refresh };
    if (which.includes(":")) return resolveOne(parts, all.get(which));
    const provider = checkProvider(which);
    return resolveBest(parts, provider, all.ranked(provider, now));
  }

  /** The ids of a provider in the order in which they would be tried now. */
  async order(provider: string): Promise<string[]> {
    const ranked = (await this.#all()).ranked(checkProvider(provider), this.#clock());
    return ranked.map(({ profile }) => profile.id);
  }

  /** Set which profiles of a provider come first. The others follow, least recently used first. */
  async setOrder(provider: string, ids: readonly string[]): Promise<readonly string[]> {
    const name = checkProvider(provider);
    checkStrings(ids, "ids");
    const order = (await this.#all()).checkOrder(name, ids);
    await this.#change((set) => withOrder(set, name, order));
    return order;
  }

  /** Record a success: it clears failures and the cooldown. */
  async markUsed(id: string): Promise<void> {
    await this.#mark(id, (usage) => afterSuccess(usage, this.#clock()));
  }

  /** Record a failure: the profile is paused for 1, 5, 25, 60 minutes; after billing failures 5 hours, doubling up to 24. */
  async markFailed(id: string, kind: FailureKind): Promise<void> {
    if (!FAILURES.includes(kind)) throw invalid(`kind must be one of ${FAILURES.join(", ")}`, "kind");
    await this.#mark(id, (usage) => afterFailure(usage, kind, this.#clock()));
  }

  /** Refresh a token, once for all processes that ask at the same time. */
  async refresh(id: string, refresher: Refresher): Promise<Resolved> {
    (await this.#all()).getOwn(id, "refreshed");
    await refreshToken(this.#refreshing, id, refresher, undefined);
    return this.resolve(id);
  }

  /** Seal all secrets of this agent with a new key. Former keys stay, because other agents use them. */
  async rotateKey(): Promise<void> {
    await this.#keys.rotate();
    await this.#change((set) => sealAgain(this.#secrets, set));
  }

  close(): void {
    this.#store.close();
    this.#keys.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #all(): Promise<AllProfiles> {
    return new AllProfiles(await this.#store.read(), adoptProfiles(this.#io, this.#adoptFrom, this.agentId));
  }

  async #change(
    work: (set: ProfileSet) => ProfileSet | Promise<ProfileSet>,
    options: { startOver?: boolean } = {},
  ): Promise<void> {
    await this.#store.change(
      async (before) => ({ set: await sealPlain(this.#secrets, await work(before)), result: undefined }),
      options,
    );
  }

  /** The usage that OpenClaw recorded is the starting point. */
  async #mark(id: string, change: (usage: Usage) => Usage): Promise<void> {
    const all = await this.#all();
    all.get(id);
    const known = all.adopted.set.usage.get(id) ?? {};
    await this.#change((set) =>
      withUsage(set, id, (usage) => change(set.usage.has(id) ? usage : { ...known, ...usage })),
    );
  }

  async #view(all: AllProfiles, id: string): Promise<ProfileView> {
    const profile = all.get(id);
    const secret = await tryRead(this.#secrets, this.#env, profile);
    return viewOf(profile, all.usage.get(id) ?? {}, all.originOf(id), secret);
  }

  #refreshWith(all: AllProfiles, refresher: Refresher): NonNullable<ResolveParts["refresh"]> {
    return async (profile, stale) => {
      if (all.originOf(profile.id) === "openclaw") return undefined;
      return refreshToken(this.#refreshing, profile.id, refresher, stale);
    };
  }
}
