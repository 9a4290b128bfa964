/** A model of a provider, with every profile and every fallback that may answer in its place. */
import { asColloquyError, ColloquyError } from "../../errors.ts";
import type { Credentials } from "../../state/credentials/credentials.ts";
import type { Refresher } from "../../state/credentials/types.ts";
import type { Environment } from "../../state/folder.ts";
import { composeModels } from "../../state/models/compose.ts";
import type { ModelsFile } from "../../state/models/types.ts";
import { checkObject, checkStrings } from "../../util/checked-arguments.ts";
import type { ChatModel, ModelEvent, ModelRequest, ThinkingLevel } from "./chat-model.ts";
import { reactionTo } from "./failure/reaction.ts";
import { type Key, type KeySources, keysFor } from "./keys.ts";
import { ask } from "./provider/ask.ts";
import { DEFAULT_LIMITS, type Limits } from "./provider/model-fetch.ts";
import { type Target, targetOf } from "./target.ts";

export interface OpenModelOptions {
  /** As `provider/model`. */
  readonly name: string;
  /** Providers with their addresses, models and prices. By default those of the catalogue. */
  readonly models?: Pick<ModelsFile, "providers"> | undefined;
  /** Where keys are found and failures are recorded. Without it, keys come from the environment. */
  readonly credentials?: Credentials | undefined;
  /** Asked in this order when the model does not answer. */
  readonly fallbacks?: readonly string[] | undefined;
  /** Use this profile of its provider and no other. */
  readonly profileId?: string | undefined;
  /** For requests that do not say. */
  readonly thinking?: ThinkingLevel | undefined;
  /** Refreshes expired tokens. */
  readonly refresher?: Refresher | undefined;
  readonly env?: Environment | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Called when a success or a failure cannot be recorded. */
  readonly onNotice?: ((message: string) => void) | undefined;
}

/** For a model whose window is not known. */
const CONTEXT_WINDOW = 128_000;

/** Reads and sends nothing before the first request. Refuses a name or a provider that cannot work. */
export function openModel(options: OpenModelOptions): ChatModel {
  checkObject(options, "options");
  const { name, fallbacks = [], env = process.env, models = composeModels({ env }).file } = options;
  checkStrings(fallbacks, "fallbacks");
  const [first, ...others] = [name, ...fallbacks].map((one) => targetOf(one, models));
  return new ProviderModel(first as Target, others, { ...options, env });
}

class ProviderModel implements ChatModel {
  readonly name: string;
  readonly contextWindow: number;
  readonly #targets: readonly Target[];
  readonly #options: OpenModelOptions & KeySources;
  readonly #limits: Limits;

  constructor(first: Target, others: readonly Target[], options: OpenModelOptions & KeySources) {
    this.name = first.name;
    this.contextWindow = first.spec.contextWindow ?? CONTEXT_WINDOW;
    this.#targets = [first, ...others];
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  async *stream(
    request: ModelRequest,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<ModelEvent> {
    const { thinking } = this.#options;
    const asked = thinking === undefined ? request : { thinking, ...request };
    const failures: Failure[] = [];
    let told = 0;
    for await (const attempt of this.#attempts(failures)) {
      signal?.throwIfAborted();
      yield* failures.slice(told).map(failureEvent);
      told = failures.length;
      const answered = yield* this.#answer(asked, attempt, failures, signal);
      if (answered) return;
    }
    throw together(failures);
  }

  /** Who may be asked, one after the other. What has failed so far decides who is next. */
  async *#attempts(failures: Failure[]): AsyncGenerator<Attempt> {
    for (const target of this.#targets) {
      try {
        for await (const key of keysFor(target, this.#options)) {
          yield { target, key };
          const next = reactionTo((failures.at(-1) as Failure).error).next;
          if (next === "none") return;
          if (next === "model") break;
        }
      } catch (error) {
        failures.push({ target, error: asColloquyError(error, `Finding a key for ${target.name} failed`) });
      }
    }
  }

  /** Whether the model has answered. A failure before the first event is kept; a later one is thrown. */
  async *#answer(
    request: ModelRequest,
    { target, key }: Attempt,
    failures: Failure[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ModelEvent, boolean> {
    const { profileId } = key;
    let recorded: Promise<void> | undefined;
    try {
      for await (const event of ask(request, { target, key, limits: this.#limits, signal })) {
        recorded ??= this.#record(profileId, (credentials, id) => credentials.markUsed(id));
        if (event.type === "end") await recorded;
        yield event.type === "end" && profileId !== undefined ? { ...event, profileId } : event;
      }
      return true;
    } catch (error) {
      if (recorded !== undefined || signal?.aborted || !(error instanceof ColloquyError)) throw error;
      const { mark } = reactionTo(error);
      if (mark !== undefined)
        await this.#record(profileId, (credentials, id) => credentials.markFailed(id, mark));
      failures.push({ target, profileId, error });
      return false;
    }
  }

  /** A folder that cannot be written to costs the record, not the answer. */
  async #record(
    profileId: string | undefined,
    write: (credentials: Credentials, id: string) => Promise<void>,
  ): Promise<void> {
    const { credentials, onNotice } = this.#options;
    if (credentials === undefined || profileId === undefined) return;
    try {
      await write(credentials, profileId);
    } catch (error) {
      onNotice?.(asColloquyError(error, `The use of ${profileId} was not recorded`).message);
    }
  }
}

interface Attempt {
  readonly target: Target;
  readonly key: Key;
}

interface Failure {
  readonly target: Target;
  readonly profileId?: string | undefined;
  readonly error: ColloquyError;
}

function failureEvent({ target, profileId, error }: Failure): ModelEvent {
  return { type: "failure", model: target.name, ...(profileId === undefined ? {} : { profileId }), error };
}

/** One error for all that was tried, with the code and the details of the first. */
function together(failures: readonly Failure[]): ColloquyError {
  const [first, ...others] = failures;
  if (first === undefined) return new ColloquyError("INTERNAL_ERROR", "No model was asked");
  if (others.length === 0) return first.error;
  const messages = [...new Set(failures.map(({ error }) => error.message))];
  const { code, details } = first.error;
  return new ColloquyError(code, messages.join(". "), details === undefined ? {} : { details });
}
