/** The session index of an agent, which is a view of the store. */
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
import type { Checkup, DoctorFinding, Fixing } from "./finding.ts";

export interface IndexToCheck {
  readonly agentDir: string;
  /** The store to compare it with, if any. */
  readonly store: Store | undefined;
  readonly config: KeyConfig | undefined;
  /** Whether a conversation belongs to the agent. */
  readonly owns: (key: string) => boolean;
  readonly fixing: Fixing;
}

export async function checkIndex(index: IndexToCheck): Promise<Checkup> {
  const { agentDir, config, fixing } = index;
  const { path } = filesOf(agentDir, {});
  const checked = `Session index ${path}`;
  const damaged = isDamaged(index);
  if (damaged) {
    if (fixing !== undefined) loadSessionStore({ agentDir, config, cacheTtlMs: 0 });
    if (fixing === undefined || isDamaged(index)) return { checked, findings: [damage(path)] };
    const what = `${path} was damaged: it is set aside and rebuilt from its readable entries`;
    fixing.push({ code: "damaged-index", what });
  }
  return { checked, findings: await differences(path, index, damaged) };
}

function isDamaged({ agentDir, config }: IndexToCheck): boolean {
  const whole = readWhole(filesOf(agentDir, {}), config);
  return whole !== undefined && whole.document === undefined;
}

function damage(path: string): DoctorFinding {
  return {
    code: "damaged-index",
    severity: "error",
    what: `${path} is damaged`,
    fix: { text: "Set it aside and rebuild it, as its next use does", command: ["doctor", "--fix"] },
    fixable: true,
    details: { path },
  };
}

/** The index differs by what a sync would change. A sync also restores what was lost with a damaged index. */
async function differences(path: string, index: IndexToCheck, rebuilt: boolean): Promise<DoctorFinding[]> {
  const { agentDir, config, owns, store, fixing } = index;
  if (store === undefined) return [];
  const report = await syncSessionIndex(store, agentDir, { config, owns, io: READING_IO });
  const { added, corrected, removed } = report;
  if (added + corrected + removed === 0 || !(rebuilt || isView(index, report))) return [];
  const wrong = `${missing(added)}, ${corrected} out of date, ${removed} wrong`;
  if (fixing !== undefined) {
    const kept = removed > 0 ? `; the previous index is kept as ${keep(path)}` : "";
    await syncSessionIndex(store, agentDir, { config, owns });
    fixing.push({ code: "index-differs", what: `${path} matches the store again (${wrong})${kept}` });
    return [];
  }
  return [
    {
      code: "index-differs",
      severity: removed > 0 ? "warning" : "note",
      what: `${path} does not match the store: ${wrong}`,
      fix: { text: "Correct the index from the store", command: ["doctor", "--fix"] },
      fixable: true,
      details: { path, added, corrected, removed },
    },
  ];
}

/** An entry that is removed may hold facts that exist nowhere else, such as an address. */
function keep(path: string): string {
  const name = freeName(systemIo, `${path}.replaced-${timestamp17(Date.now())}`);
  copyFileSync(path, name, constants.COPYFILE_EXCL);
  return name;
}

function missing(count: number): string {
  return `${count} ${count === 1 ? "conversation" : "conversations"} missing`;
}

/** An index without any entry of the store belongs to another program. */
function isView({ agentDir, config }: IndexToCheck, { corrected, removed }: SyncReport): boolean {
  if (corrected + removed > 0) return true;
  const entries = Object.values(loadSessionStore({ agentDir, config, readonly: true }));
  return entries.some(({ managedBy }) => managedBy === "colloquy");
}

const NOWHERE = -1;

/** Reads the real disk and discards writes. */
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
  lock: () => ({
    tryAcquire: () => true,
    isHeld: () => true,
    release: () => {},
    holder: () => "",
    close: () => {},
  }),
};
