import type { JSX } from "preact";
import type { BranchesView } from "../../../../src/gateway/wire/rest.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { plural } from "../../ui/values/plural.ts";
import { branchApi } from "./branch-api.ts";
import { flattenPreview } from "./flatten-preview.ts";

export interface TreeDialogProps {
  readonly conversation: string;
  readonly view: BranchesView;
  onDone(): void;
  onClose(): void;
}

/** What flattening changes, before it does. Nothing is removed by it. */
export function FlattenDialog({ conversation, view, onDone, onClose }: TreeDialogProps): JSX.Element | null {
  const preview = flattenPreview(view.branches);
  if (preview === null) return null;
  const { from, former, levels } = preview;
  const flatten = async (): Promise<void> => {
    await branchApi.flatten(conversation);
    onDone();
  };
  return (
    <Confirm title="Flatten the tree" verb="Flatten" run={flatten} onClose={onClose}>
      <p>
        The path of <strong>{from}</strong> becomes <strong>main</strong>. No message is removed.
      </p>
      <table class="table preview">
        <thead>
          <tr>
            <th scope="col">Branch</th>
            <th scope="col">Afterwards</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>{from}</td>
            <td>main, {plural(levels, "level")} less deep</td>
          </tr>
          <tr>
            <td>main</td>
            <td>{former}, kept until you prune it</td>
          </tr>
        </tbody>
      </table>
    </Confirm>
  );
}
