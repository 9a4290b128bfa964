import type { JSX } from "preact";
import { RemovalTable } from "../../ui/list/tables.tsx";
import { exactCount, shortBytes } from "../../ui/values/count.tsx";
import type { Pruned } from "./branch-api.ts";

export function PrunePreview({ pruned }: { readonly pruned: Pruned }): JSX.Element {
  const { removed, bytes } = pruned;
  if (removed.length === 0) return <p class="quiet">Nothing: no branch matches.</p>;
  const entries = removed.reduce((sum, branch) => sum + branch.entries, 0);
  return (
    <RemovalTable
      heads={["Branch", "Entries", "Size"]}
      rows={removed.map((branch) => [branch.name, exactCount(branch.entries), shortBytes(branch.bytes)])}
      sums={["Together", exactCount(entries), shortBytes(bytes)]}
    />
  );
}
