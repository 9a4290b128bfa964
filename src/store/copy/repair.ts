import { resolve } from "node:path";
import { type ConversationInfo, type Finding, unsupported, type VerifyReport } from "../../engine/index.ts";
import { checkProperties } from "../../message/validate.ts";
import { describeBranches } from "../../tree/branches.ts";
import { LOCK_WAIT_MS } from "../../util/wait.ts";
import type { StoreAccess } from "../access.ts";
import { parseTarget } from "../open-engine.ts";
import type { Store } from "../store.ts";

export interface RepairReport extends VerifyReport {
  /** What was repaired, and how. `findings` lists the remaining problems. */
  readonly repaired: readonly Finding[];
}

export interface RepairOptions {
  /** A backup of the store, for what cannot be read any more. */
  readonly from?: string;
}

/** Repair what can be repaired without losing anything, and report the rest. */
export async function repairStore(
  store: Store,
  access: StoreAccess,
  options: RepairOptions,
): Promise<RepairReport> {
  checkProperties(options, new Set(["from"]), "options");
  access.assertWritable();
  const repaired = await access.ask((engine) => (engine.supports.repair ? engine.repair(options.from) : []));
  return { ...(await validateStore(store, access)), repaired };
}

/**
 * Rebuild a SQLite store that is too damaged to be opened, from everything
 * that can be read of it and of a backup. The damaged file is kept beside it.
 */
export async function rebuildStore(target: string, options: RepairOptions = {}): Promise<Finding[]> {
  checkProperties(options, new Set(["from"]), "options");
  const { name, place } = parseTarget(target);
  if (name !== "sqlite") throw unsupported(name, "rebuilding a store that cannot be opened");
  const { repairFile } = await import("../../engine/sqlite/salvage/repair-file.ts");
  return repairFile(resolve(place), { from: options.from, lockWaitMs: LOCK_WAIT_MS });
}

/** A branch that is deeper than the warning depth: allowed, and not a problem. */
export const DEPTH_WARNING = "branch-depth";

/** The findings of `verify`, and deep branches, which are not damage but worth knowing. */
export async function validateStore(store: Store, access: StoreAccess): Promise<VerifyReport> {
  const report = await store.verify();
  const findings = report.findings.filter(({ code }) => code !== "cycle" || !access.allowCircularReferences);
  for await (const info of store.list()) findings.push(...(await deepBranches(access, info, store.path)));
  return { ...report, ok: findings.every(({ code }) => code === DEPTH_WARNING), findings };
}

async function deepBranches(
  access: StoreAccess,
  { id, branchCount }: ConversationInfo,
  source: string | null,
): Promise<Finding[]> {
  const { maxDepth, warningDepth } = access.depthLimits;
  const noticed = Math.min(maxDepth, warningDepth);
  // With so few branches, none can be deeper.
  if (branchCount <= noticed) return [];
  const logEnd = await access.ask((engine) => engine.logEnd(id));
  if (logEnd === undefined) return [];
  return describeBranches(logEnd.tree, logEnd.lastSeq, logEnd.last)
    .filter(({ depth }) => depth > noticed)
    .map(({ name, depth }) => ({
      ...{ code: depth > maxDepth ? "deep-branch" : DEPTH_WARNING, conversation: id, source, line: null },
      message:
        depth > maxDepth
          ? `branch ${name} has depth ${depth}, above the limit of ${maxDepth}`
          : `branch ${name} has depth ${depth} of at most ${maxDepth}: consider flattening it`,
    }));
}
