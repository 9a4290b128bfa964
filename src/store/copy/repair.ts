import type { ConversationInfo, Finding, VerifyReport } from "../../engine/index.ts";
import { describeBranches } from "../../tree/branches.ts";
import type { StoreAccess } from "../access.ts";
import type { Store } from "../store.ts";

export interface RepairReport extends VerifyReport {
  /** What was put right, and how. `findings` are what is left. */
  readonly repaired: readonly Finding[];
}

/** Put right what can be put right without losing anything, and say what is left. */
export async function repairStore(store: Store, access: StoreAccess): Promise<RepairReport> {
  access.assertWritable();
  const repaired = await access.ask((engine) => (engine.supports.repair ? engine.repair() : []));
  return { ...(await validateStore(store, access)), repaired };
}

/** What `verify` finds, and branches that lie deeper than is allowed: no damage, but something to know of. */
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
  // With so few of them none can lie deeper.
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
