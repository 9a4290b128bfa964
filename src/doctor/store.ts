import { asColloquyError, type ColloquyError } from "../errors.ts";
import type { Finding } from "../store/index.ts";
import { openStore } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import { damagedFile } from "./damaged-file.ts";
import { type Checkup, type DoctorFinding, type Fix, NOTHING_TO_DO } from "./finding.ts";

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
}

export interface CheckedStore {
  readonly checkup: Checkup;
  /** The caller closes it. `undefined` when there is none, or none that can be read. */
  readonly store: Store | undefined;
  /** False for a file of another program, which the other checks leave alone. */
  readonly ours: boolean;
}

/** Open the store and read all of it. */
export async function checkStore({ target, path, expected }: StoreToCheck): Promise<CheckedStore> {
  const place = path ?? target;
  if (!expected) {
    const checkup = { checked: `Store ${place}`, findings: [noStore(place)] };
    return { checkup, store: undefined, ours: true };
  }
  let store: Store | undefined;
  try {
    // `verify` reports the same damage, and all of it.
    store = await openStore(target, { readonly: true, onProblem: () => {}, onWarning: () => {} });
    const { conversations, findings } = await store.verify();
    const count = conversations === 1 ? "1 conversation" : `${conversations} conversations`;
    return {
      checkup: { checked: `Store ${place}, ${count}`, findings: findings.map(damage) },
      store,
      ours: true,
    };
  } catch (error) {
    await store?.close();
    const damaged = damagedFile(error, path);
    const finding =
      damaged === undefined ? unopened(asColloquyError(error, `Cannot read ${place}`)) : damage(damaged);
    const checkup = { checked: `Store ${place}`, findings: [finding] };
    return { checkup, store: undefined, ours: damaged !== undefined };
  }
}

function noStore(place: string): DoctorFinding {
  const fix = { text: `${NOTHING_TO_DO}: the first message creates it` };
  return { code: "no-store", severity: "note", what: `There is no store at ${place} yet`, fix };
}

function damage({ code, conversation, source, line, message }: Finding): DoctorFinding {
  const at = line === null ? "" : `, line ${line}`;
  const whose = conversation === null ? "" : ` (conversation ${conversation})`;
  return {
    code,
    severity: "error",
    what: `${source ?? "The store"}${at}: ${message}${whose}`,
    fix: { text: "Copy the store first. Undamaged data can still be read; restore the rest from a backup" },
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
