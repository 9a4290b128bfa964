/** The session index of each agent, which is a view of the store. */
import { constants, copyFileSync } from "node:fs";
import { type FileIo, systemIo } from "../disk/file-io.ts";
import { freeName } from "../disk/replace-file.ts";
import type { KeyConfig } from "../key/index.ts";
import { filesOf } from "../state/session-index/files.ts";
import { loadSessionStore } from "../state/session-index/load.ts";
import { readWhole } from "../state/session-index/read.ts";
import { type SyncReport, syncSessionIndex } from "../state/session-index/sync.ts";
import type { Store } from "../store/store.ts";
import { timestamp17 } from "../util/time.ts";
import type { Checkup, DoctorFinding, Fixing } from "./doctor-checks.ts";
import { nextCommand } from "./invocation.ts";
import { counted } from "./view/conversation-view.ts";

export interface IndexVisit {
  readonly agentDir: string;
  /** `undefined` when there is none to compare with. */
  readonly store: Store | undefined;
  readonly config: KeyConfig | undefined;
  readonly values: ReadonlyMap<string, string>;
  readonly fixing: Fixing;
}

export async function checkIndex(visit: IndexVisit): Promise<Checkup> {
  const { agentDir, config, fixing } = visit;
  const { path } = filesOf(agentDir, {});
  const checked = `Session index ${path}`;
  const rebuilding = isDamaged(visit);
  if (rebuilding) {
    if (fixing !== undefined) loadSessionStore({ agentDir, config, cacheTtlMs: 0 });
    if (fixing === undefined || isDamaged(visit)) return { checked, findings: [damaged(path, visit)] };
    const what = `${path} was damaged: it is set aside, and made anew from what can be read`;
    fixing.push({ code: "damaged-index", what });
  }
  return { checked, findings: await compared(path, visit, rebuilding) };
}

function isDamaged({ agentDir, config }: IndexVisit): boolean {
  const whole = readWhole(filesOf(agentDir, {}), config);
  return whole !== undefined && whole.document === undefined;
}

function damaged(path: string, { values }: IndexVisit): DoctorFinding {
  const fix = `${nextCommand("doctor --fix", values)} sets it aside and makes it anew, as the next use does`;
  return { code: "damaged-index", severity: "error", what: `${path} is damaged`, fix };
}

/** What a correction would change is what is wrong. What was lost with a damaged index comes back from the store. */
async function compared(path: string, visit: IndexVisit, rebuilt: boolean): Promise<DoctorFinding[]> {
  const { agentDir, config, store, fixing, values } = visit;
  if (store === undefined) return [];
  const report = await syncSessionIndex(store, agentDir, { config, io: READING_IO });
  const { added, corrected, removed } = report;
  if (added + corrected + removed === 0 || !(rebuilt || isView(visit, report))) return [];
  const wrong = `${missing(added)}, ${corrected} out of date, ${removed} wrong`;
  if (fixing !== undefined) {
    const kept = removed > 0 ? `; what it said is kept as ${keep(path)}` : "";
    await syncSessionIndex(store, agentDir, { config });
    fixing.push({ code: "index-differs", what: `${path} says again what the store says (${wrong})${kept}` });
    return [];
  }
  const what = `${path} does not say what the store says: ${wrong}`;
  const fix = `The store is right; ${nextCommand("doctor --fix", values)} corrects the index`;
  return [{ code: "index-differs", severity: removed > 0 ? "warning" : "note", what, fix }];
}

/** Entries that go may hold what nothing else knows, such as an address. */
function keep(path: string): string {
  const name = freeName(systemIo, `${path}.replaced-${timestamp17(Date.now())}`);
  copyFileSync(path, name, constants.COPYFILE_EXCL);
  return name;
}

function missing(count: number): string {
  return `${counted(count, "conversation")} missing`;
}

/** An index that has nothing of the store in it is another program's. */
function isView({ agentDir, config }: IndexVisit, { corrected, removed }: SyncReport): boolean {
  if (corrected + removed > 0) return true;
  const entries = Object.values(loadSessionStore({ agentDir, config, readonly: true }));
  return entries.some(({ managedBy }) => managedBy === "colloquy");
}

const NOWHERE = -1;

/** The disk as it is; what is written goes nowhere. */
const READING_IO: FileIo = {
  ...systemIo,
  open: (path, mode) => (mode === "read" ? systemIo.open(path, mode) : NOWHERE),
  close: (file) => {
    if (file !== NOWHERE) systemIo.close(file);
  },
  write: (_file, bytes) => bytes.length,
  truncate: () => {},
  sync: () => {},
  syncLater: async () => {},
  syncFolder: () => {},
  touch: () => {},
  rename: () => {},
  link: () => {},
  remove: () => {},
  removeFolder: () => {},
  makeFolder: () => {},
  lock: () => ({ tryAcquire: () => true, release: () => {}, holder: () => "", close: () => {} }),
};
