import { announceStore } from "../disk/open-stores.ts";
import type { Engine, EngineOptions, LegacyPolicy } from "../engine/index.ts";
import { ColloquyError, invalid } from "../errors.ts";
import { checkProperties } from "../message/validate.ts";
import type { SemanticModel } from "../search/index.ts";
import { checkedDepths, DEPTH_LIMITS, type DepthLimits } from "../tree/branches.ts";
import { NODE_MAJOR_MIN } from "../util/node-version.ts";
import { type Clock, systemClock } from "../util/time.ts";
import { LOCK_WAIT_MS } from "../util/wait.ts";
import { type EngineName, openEngine, parseTarget } from "./open-engine.ts";
import { Store } from "./store.ts";
import { redactionFor } from "./write/redaction.ts";

export interface StoreOptions {
  /** Never write. The store must exist. */
  readonly readonly?: boolean;
  /** With `readonly`: keep the search index in its file beside the store all the same. Default: false, in memory. */
  readonly searchFile?: boolean;
  /**
   * `full` (default): a write that resolved survives a power cut. `process`: it
   * survives a crash of the process, not a power cut, and is many times faster.
   */
  readonly durability?: "full" | "process";
  /** Run the engine in a worker thread, so that a slow disk never stalls a server. */
  readonly worker?: boolean;
  /** How long to wait for another process's write. Default: 10 s. */
  readonly lockWaitMs?: number;
  /** Called for damage that was found and worked around. Default: `process.emitWarning`. */
  readonly onProblem?: (problem: ColloquyError) => void;
  /**
   * Maximum branch depth (default 10), the depth that triggers a warning (default 7), and whether `validate` leaves
   * out parents that form a cycle (default false).
   */
  readonly tree?: Partial<DepthLimits> & { readonly allowCircularReferences?: boolean };
  /** If false, `branch` and related methods throw `NOT_SUPPORTED`. Default: true. */
  readonly treeEnabled?: boolean;
  /** Country of phone numbers in session keys without a country code, in two letters, such as `DE`. */
  readonly defaultCountry?: string;
  /** Called for what is allowed but unwise, such as very deep branches. Default: `process.emitWarning`. */
  readonly onWarning?: (text: string) => void;
  /**
   * Search by meaning, too (`store.search` with `mode`): an embedding model, such as a provider of `colloquy/memory`.
   * Messages are sent to it when they are searched.
   */
  readonly semantic?: SemanticModel;
  /**
   * Remove secrets from messages, summaries and streamed text before they are stored: values that look like one, those
   * that this process uses, and those in the list. Imports are stored as they are. Default: false.
   */
  readonly redact?: boolean | readonly string[];
  /** Milliseconds since 1970. Default: the system clock. */
  readonly clock?: Clock;
  /** How legacy transcripts in the folder of a `jsonl:` store are handled. */
  readonly sessions?: SessionFormat;
}

export interface SessionFormat {
  /** `legacy`: conversations are created, and messages appended, in the legacy format. Default: `auto`. */
  readonly format?: "auto" | "legacy" | "v2";
  /** Migrate a legacy transcript when it is first written to, and keep it in `legacy/`. Default: true; if false, the write fails. */
  readonly autoMigrate?: boolean;
}

/**
 * Open a store: `sqlite:FILE`, `jsonl:FOLDER`, `ephemeral:`, or your own engine.
 *
 * A missing file or folder is created, unless `readonly` is set.
 */
export async function openStore(target: string | Engine, options: StoreOptions = {}): Promise<Store> {
  const engineOptions = checkOptions(options);
  const depthLimits = checkDepths(options.tree ?? {});
  const defaultCountry = checkCountry(options.defaultCountry);
  checkNode();
  if (typeof target !== "string" && typeof target?.commit !== "function") {
    throw invalid("openStore requires a target such as sqlite:FILE, or an engine", "target");
  }
  refuseWithoutEffect(target, options);
  const ended = announced(target);
  const engine =
    typeof target === "string"
      ? await openNamed(target, options.worker === true, engineOptions).catch((error) => {
          ended();
          throw error;
        })
      : target;
  return new Store(engine, {
    onClosed: ended,
    clock: options.clock ?? systemClock,
    readonly: engineOptions.readonly,
    searchFile: !engineOptions.readonly || options.searchFile === true,
    depthLimits,
    allowCircularReferences: options.tree?.allowCircularReferences === true,
    treeEnabled: options.treeEnabled !== false,
    defaultCountry,
    redaction: redactionFor(options.redact),
    semantic: checkSemantic(options.semantic),
    onWarning: options.onWarning ?? warnText,
    onProblem: engineOptions.onProblem,
  });
}

/** Tell the rest of the process which files it must not open. */
function announced(target: string | Engine): () => void {
  const [name, place] =
    typeof target === "string"
      ? [parseTarget(target).name, parseTarget(target).place]
      : [target.name, target.location];
  return place === null || name === "ephemeral" ? () => {} : announceStore(place, name === "jsonl");
}

/** An old Node lacks the modules that the engines need, and its own errors do not say so. */
function checkNode(): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= NODE_MAJOR_MIN) return;
  throw new ColloquyError(
    "NOT_SUPPORTED",
    `Colloquy requires Node ${NODE_MAJOR_MIN} or newer; this is Node ${node}`,
  );
}

async function openNamed(target: string, worker: boolean, options: EngineOptions): Promise<Engine> {
  if (!worker) return openEngine(target, options);
  const { WorkerEngine } = await import("./worker/worker-engine.ts");
  return WorkerEngine.open(target, options);
}

/** Options that an engine would ignore, by engine. */
const WITHOUT_EFFECT: Readonly<Record<EngineName | "given", readonly (keyof StoreOptions)[]>> = {
  ephemeral: ["worker", "durability", "lockWaitMs", "sessions"],
  jsonl: [],
  sqlite: ["sessions"],
  given: ["worker", "durability", "lockWaitMs", "sessions"],
};

/** An option without effect is a mistake: the caller expects it to work. */
function refuseWithoutEffect(target: string | Engine, options: StoreOptions): void {
  const name = typeof target === "string" ? parseTarget(target).name : "given";
  const ignored = WITHOUT_EFFECT[name].find((option) => (options[option] ?? false) !== false);
  if (ignored === undefined) return;
  const store = name === "given" ? "an engine that is already open" : `the target ${name}:`;
  throw invalid(`${ignored} has no effect with ${store}; leave it out`, ignored);
}

const OPTION_MEMBERS: ReadonlySet<string> = new Set([
  "readonly",
  "searchFile",
  "durability",
  "worker",
  "lockWaitMs",
  "onProblem",
  "clock",
  "tree",
  "treeEnabled",
  "defaultCountry",
  "onWarning",
  "sessions",
  "semantic",
  "redact",
]);

function checkDepths(tree: NonNullable<StoreOptions["tree"]>): DepthLimits {
  checkProperties(tree, new Set([...Object.keys(DEPTH_LIMITS), "allowCircularReferences"]), "tree");
  const { allowCircularReferences = false, ...depths } = tree;
  if (typeof allowCircularReferences !== "boolean") {
    throw invalid("allowCircularReferences must be true or false", "allowCircularReferences");
  }
  return checkedDepths(depths);
}

function checkCountry(country: unknown): string | undefined {
  if (country === undefined || (typeof country === "string" && /^[A-Za-z]{2}$/.test(country))) return country;
  throw invalid("defaultCountry must be a country in two letters, such as DE", "defaultCountry");
}

function checkSemantic(model: unknown): SemanticModel | undefined {
  if (model === undefined) return undefined;
  const { embed, embedBatch, dimensions, model: name } = (model ?? {}) as Partial<SemanticModel>;
  const isModel = typeof embed === "function" && typeof embedBatch === "function";
  if (isModel && typeof name === "string" && Number.isSafeInteger(dimensions)) return model as SemanticModel;
  throw invalid("semantic must be an embedding model: { model, dimensions, embed, embedBatch }", "semantic");
}

function checkOptions(options: StoreOptions): EngineOptions {
  checkProperties(options, OPTION_MEMBERS, "options");
  const { readonly = false, durability = "full", lockWaitMs = LOCK_WAIT_MS, onProblem = warn } = options;
  if (durability !== "full" && durability !== "process") {
    throw invalid('durability must be "full" or "process"', "durability");
  }
  if (options.searchFile !== undefined && !readonly)
    throw invalid("searchFile requires readonly: other stores always have the file", "searchFile");
  if (!Number.isFinite(lockWaitMs) || lockWaitMs < 0)
    throw invalid("lockWaitMs must be 0 or more", "lockWaitMs");
  return { readonly, durability, lockWaitMs, onProblem, legacy: checkSessions(options.sessions ?? {}) };
}

function checkSessions(sessions: SessionFormat): LegacyPolicy {
  checkProperties(sessions, SESSION_MEMBERS, "sessions");
  const { format = "auto", autoMigrate = true } = sessions;
  if (!["auto", "legacy", "v2"].includes(format))
    throw invalid('format must be "auto", "legacy" or "v2"', "sessions.format");
  if (typeof autoMigrate !== "boolean")
    throw invalid("autoMigrate must be true or false", "sessions.autoMigrate");
  if (format === "legacy") return "append";
  return autoMigrate ? "migrate" : "refuse";
}

const SESSION_MEMBERS: ReadonlySet<string> = new Set(["format", "autoMigrate"]);

function warn(problem: ColloquyError): void {
  warnText(problem.message);
}

function warnText(text: string): void {
  process.emitWarning(text, "ColloquyWarning");
}
