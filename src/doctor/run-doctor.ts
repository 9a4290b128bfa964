/**
 * The doctor: checks of the machine, the state folder and the store, and the
 * repairs that are safe to make without asking. Nothing is ever deleted.
 */

import { relative } from "node:path";
import type { ConfigOptions } from "../state/config/config-build.ts";
import { storeOptions } from "../state/config/store-options.ts";
import { checkObject, checkString } from "../util/checked-arguments.ts";
import { checkAgents } from "./agents.ts";
import { checkChannels } from "./channels.ts";
import { checkConfig } from "./config.ts";
import { checkQuarantine, checkStateFolder, checkStoreFiles } from "./files.ts";
import { attempt, type Checkup, type DoctorFinding, type Fixed, type Fixing } from "./finding.ts";
import { checkImportWatch } from "./import-watch.ts";
import { checkDisk, checkNode, checkSqlite } from "./machine.ts";
import { checkStore, type StoreToCheck } from "./store.ts";
import { checkWritable } from "./writable.ts";

export interface DoctorOptions {
  /** The state folder and its config, as for `loadConfig`. */
  readonly config: ConfigOptions;
  readonly store: StoreToCheck;
  /** Repair what is safe to repair. Default false: nothing is changed. */
  readonly fix?: boolean;
}

export interface DoctorReport {
  /** No errors and no warnings. */
  readonly ok: boolean;
  /** In the order of the checks. */
  readonly checkups: readonly Checkup[];
  /** The findings of all checkups. */
  readonly findings: readonly DoctorFinding[];
  /** Empty without `fix`. */
  readonly fixed: readonly Fixed[];
}

/** Check everything. A check that fails is a finding and does not stop the others. */
export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  checkObject(options, "options");
  const { config, store, fix = false } = options;
  checkObject(config, "config");
  checkString(config.stateDir, "stateDir");
  checkObject(store, "store");
  checkString(store.target, "target");
  const fixing: Fixing = fix ? [] : undefined;
  const checkups = await checkAll(config, store, fixing);
  const findings = checkups.flatMap((checkup) => checkup.findings);
  const ok = findings.every(({ severity }) => severity === "note");
  return { ok, checkups, findings, fixed: fixing ?? [] };
}

async function checkAll(options: ConfigOptions, target: StoreToCheck, fixing: Fixing): Promise<Checkup[]> {
  const { stateDir } = options;
  const { path } = target;
  const folder = await attempt(`State folder ${stateDir}`, () => checkStateFolder(stateDir, fixing));
  const config = await checkConfig(options);
  const {
    checkups: ofStore,
    store: opened,
    ours,
  } = await checkStore(target, storeOptions(config.sound, target.target), fixing);
  await using store = opened;
  const writable = await attempt("Write access", () => checkWritable(stateDir, target));
  const checkups = [checkNode(), checkSqlite(), ...folder, ...writable, config.checkup, ...ofStore];
  const elsewhere = path !== null && ours && relative(stateDir, path).startsWith("..");
  if (elsewhere) {
    checkups.push(...(await attempt(`Permissions of ${path}`, () => checkStoreFiles(target, fixing))));
  }
  const agents = { options, config, store: target.indexed ? store : undefined, fixing };
  checkups.push(...(await attempt("Agents", () => checkAgents(agents))));
  if (store !== undefined)
    checkups.push(...(await attempt("Messages of channels", () => checkChannels(store))));
  checkups.push(...(await attempt("Watching import", () => checkImportWatch(stateDir))));
  const places = elsewhere ? [stateDir, path] : [stateDir];
  checkups.push(...(await attempt("Files set aside by repairs", () => checkQuarantine(places))));
  checkups.push(...(await attempt("Disk space", () => checkDisk(path ?? stateDir))));
  return checkups;
}
