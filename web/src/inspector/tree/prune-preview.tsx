import type { JSX } from "preact";
import { exactCount, shortBytes } from "../../ui/count.tsx";
import type { Pruned } from "./branch-api.ts";

export function PrunePreview({ pruned }: { readonly pruned: Pruned }): JSX.Element {
  const { removed, bytes } = pruned;
  if (removed.length === 0) return <p class="quiet">Nothing: no branch matches.</p>;
  return (
    <table class="table preview">
      <thead>
        <tr>
          <th scope="col">Branch</th>
          <th scope="col" class="number">
            Entries
          </th>
          <th scope="col" class="number">
            Size
          </th>
        </tr>
      </thead>
      <tbody>
        {removed.map((branch) => (
          <tr key={branch.name}>
            <td>{branch.name}</td>
            <td class="number">{exactCount(branch.entries)}</td>
            <td class="number">{shortBytes(branch.bytes)}</td>
          </tr>
        ))}
      </tbody>
      {removed.length > 1 && (
        <tfoot>
          <tr>
            <td>Together</td>
            <td class="number">{exactCount(removed.reduce((sum, { entries }) => sum + entries, 0))}</td>
            <td class="number">{shortBytes(bytes)}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}
