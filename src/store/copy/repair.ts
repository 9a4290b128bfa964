import type { ConversationInfo, Finding, VerifyReport } from "../../engine/index.ts";
import { describeBranches } from "../../tree/branches.ts";
import type { StoreAccess } from "../access.ts";
import type { Store } from "../store.ts";

export interface RepairReport extends VerifyReport {
  /** What was repaired, and how. `findings` lists the remaining problems. */
  readonly repaired: readonly Finding[];
}

/** Repair what can be repaired without losing anything, and report the rest. */
export async function repairStore(store: Store, access: StoreAccess): Promise<RepairReport> {
  access.assertWritable();
  const repaired = await access.ask((engine) => (engine.supports.repair ? engine.repair() : []));
  return { ...(await validateStore(store, access)), repaired };
}

/** The findings of `verify`, and branches deeper than the limit, which are not damage but worth knowing. */
export async function validateStore(store: Store, access: StoreAccess): Promise<VerifyReport> {
  const report = await store.verify();
  const findings = [...report.findings];
  for await (const info of store.list()) findings.push(...(await deepBranches(access, info, store.path)));
  return { ...report, ok: findings.length === 0, findings };
}

async function deepBranches(
  access: StoreAccess,
  { id, branchCount }: ConversationInfo,
  source: string | null,
): Promise<Finding[]> {
  const { maxDepth } = access.depthLimits;
  // With so few branches, none can be deeper.
  if (branchCount <= maxDepth) return [];
  const logEnd = await access.ask((engine) => engine.logEnd(id));
  if (logEnd === undefined) return [];
  return describeBranches(logEnd.tree, logEnd.lastSeq, logEnd.last)
    .filter(({ depth }) => depth > maxDepth)
    .map(({ name, depth }) => ({
      ...{ code: "deep-branch", conversation: id, source, line: null },
      message: `branch ${name} has depth ${depth}, above the limit of ${maxDepth}`,
    }));
}
