import { asColloquyError, type ColloquyError } from "../errors.ts";
import type { Finding } from "../store/index.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./command.ts";
import type { Checkup, DoctorFinding } from "./doctor-checks.ts";
import { openToRead } from "./store/open-store.ts";
import type { StoreTarget } from "./store/store-target.ts";
import { counted } from "./view/conversation-view.ts";
import { damagedFile } from "./view/damaged-file.ts";

export interface CheckedStore {
  readonly checkup: Checkup;
  /** To be closed; `undefined` when there is none, or none that can be used. */
  readonly store: Store | undefined;
  /** Whether it is a store at all: what is of another program is none of our business. */
  readonly ours: boolean;
}

/** Open it and read everything. What goes wrong is a finding, so that the other checks are shown too. */
export async function checkStore(call: Call, target: StoreTarget): Promise<CheckedStore> {
  const place = target.path ?? target.text;
  let store: Store | undefined;
  try {
    store = await openToRead(call, target);
    if (store === undefined) {
      return { checkup: { checked: `Store ${place}`, findings: [noStore(place)] }, store, ours: true };
    }
    const { conversations, findings } = await store.verify();
    const checked = `Store ${place}, ${counted(conversations, "conversation")}`;
    return { checkup: { checked, findings: findings.map(damage) }, store, ours: true };
  } catch (error) {
    await store?.close();
    const damaged = damagedFile(error, target);
    const finding =
      damaged === undefined ? unopened(asColloquyError(error, `Cannot read ${place}`)) : damage(damaged);
    const checkup = { checked: `Store ${place}`, findings: [finding] };
    return { checkup, store: undefined, ours: damaged !== undefined };
  }
}

function noStore(place: string): DoctorFinding {
  const fix = "Nothing to do: the first message makes it";
  return { code: "no-store", severity: "note", what: `There is no store at ${place} yet`, fix };
}

function damage({ code, conversation, source, line, message }: Finding): DoctorFinding {
  const at = line === null ? "" : `, line ${line}`;
  const whose = conversation === null ? "" : ` (conversation ${conversation})`;
  const fix = "Copy the store before anything else. What can be read is still read; a backup has the rest";
  return { code, severity: "error", what: `${source ?? "The store"}${at}: ${message}${whose}`, fix };
}

function unopened(error: ColloquyError): DoctorFinding {
  const fix = FIXES[error.code] ?? FIXES.INTERNAL_ERROR;
  return { code: "store-not-opened", severity: "error", what: error.message, fix };
}

const FIXES: Readonly<Partial<Record<ColloquyError["code"], string>> & { INTERNAL_ERROR: string }> = {
  NOT_FOUND: "Check --store and COLLOQUY_STORE; a first message makes the store",
  VALIDATION_ERROR: "Check --store and COLLOQUY_STORE: they name something that is not a store",
  NOT_SUPPORTED: "Update Colloquy, or choose another store with --store",
  SERVICE_UNAVAILABLE: "Copy the store, then check the disk and the permissions",
  INTERNAL_ERROR: "Copy the store, and report this as a bug",
};
