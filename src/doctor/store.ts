import { asColloquyError, type ColloquyError } from "../errors.ts";
import type { ConfiguredStore } from "../state/config/store-options.ts";
import type { Finding } from "../store/index.ts";
import { openStore, type StoreOptions } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import { damagedFile } from "./damaged-file.ts";
import {
  attempt,
  type Checkup,
  type DoctorFinding,
  type Fix,
  type Fixing,
  NOTHING_TO_DO,
} from "./finding.ts";
import { checkKeys } from "./keys/twins.ts";
import { REPAIR, storeFixes } from "./store-fixes.ts";

export interface StoreToCheck {
  /** As `openStore` takes it. */
  readonly target: string;
  readonly engine: string;
  /** The file or folder; `null` when the engine has none. */
  readonly path: string | null;
  /** False for the default store before the first message: then a missing store is not a problem. */
  readonly expected: boolean;
  /** Whether the session indexes are views of this store. */
  readonly indexed: boolean;
  /** Read it in a worker thread, so that a server can answer meanwhile. */
  readonly worker?: boolean;
}

export interface CheckedStore {
  readonly checkups: readonly Checkup[];
  /** The caller closes it. `undefined` when there is none, or none that can be read. */
  readonly store: Store | undefined;
  /** False for a file of another program, which the other checks leave alone. */
  readonly ours: boolean;
}

/** Open the store and read all of it. */
export async function checkStore(
  { target, path, expected, worker = false }: StoreToCheck,
  settings: ConfiguredStore,
  fixing: Fixing,
): Promise<CheckedStore> {
  const place = path ?? target;
  if (!expected) {
    const checkup = { checked: `Store ${place}`, findings: [noStore(place)] };
    return { checkups: [checkup], store: undefined, ours: true };
  }
  const options = { ...settings, worker, onProblem: () => {}, onWarning: () => {} };
  let store: Store | undefined;
  try {
    // `validate` reports the same damage as `onProblem`, and all of it.
    store = await openStore(target, { ...options, readonly: true });
    const { conversations, findings } = await store.validate();
    const count = conversations === 1 ? "1 conversation" : `${conversations} conversations`;
    const checkup = { checked: `Store ${place}, ${count}`, findings: asDoctorFindings(findings) };
    const keys = await checkKeys(store, undefined);
    if (fixing === undefined || keys.findings.length === 0)
      return { checkups: [checkup, keys], store, ours: true };
    await store.close();
    const fixed = await attempt(keys.checked, () => fixKeys(target, options, fixing));
    store = await openStore(target, { ...options, readonly: true });
    return { checkups: [checkup, ...fixed], store, ours: true };
  } catch (error) {
    await store?.close();
    const damaged = damagedFile(error, path);
    const finding =
      damaged === undefined
        ? unopened(asColloquyError(error, `Cannot read ${place}`))
        : asDoctorFinding(damaged, REPAIR);
    const checkup = { checked: `Store ${place}`, findings: [finding] };
    return { checkups: [checkup], store: undefined, ours: damaged !== undefined };
  }
}

async function fixKeys(target: string, options: StoreOptions, fixing: NonNullable<Fixing>): Promise<Checkup> {
  await using store = await openStore(target, options);
  return await checkKeys(store, fixing);
}

function noStore(place: string): DoctorFinding {
  const fix = { text: `${NOTHING_TO_DO}: the first message creates it` };
  return { code: "no-store", severity: "note", what: `There is no store at ${place} yet`, fix };
}

function asDoctorFindings(findings: readonly Finding[]): DoctorFinding[] {
  const fixOf = storeFixes(findings);
  return findings.map((finding) => asDoctorFinding(finding, fixOf(finding)));
}

const SEVERITIES: Readonly<Record<string, DoctorFinding["severity"]>> = {
  "deep-branch": "warning",
  "branch-depth": "note",
};

function asDoctorFinding({ code, conversation, source, line, message }: Finding, fix: Fix): DoctorFinding {
  const at = line === null ? "" : `, line ${line}`;
  const whose = conversation === null ? "" : ` (conversation ${conversation})`;
  return {
    code,
    severity: SEVERITIES[code] ?? "error",
    what: `${source ?? "The store"}${at}: ${message}${whose}`,
    fix,
    details: { source, line, conversation },
  };
}

function unopened(error: ColloquyError): DoctorFinding {
  const fix = FIXES[error.code] ?? { text: "Copy the store, and report a bug" };
  return { code: "store-not-opened", severity: "error", what: error.message, fix };
}

const FIXES: Readonly<Partial<Record<ColloquyError["code"], Fix>>> = {
  NOT_FOUND: { text: "Check which store is set. The first message creates one", setting: "store" },
  VALIDATION_ERROR: { text: "Check which store is set: this is not one", setting: "store" },
  NOT_SUPPORTED: { text: "Update Colloquy, or choose another store", setting: "store" },
  SERVICE_UNAVAILABLE: { text: "Copy the store, then check the disk and the permissions" },
};
