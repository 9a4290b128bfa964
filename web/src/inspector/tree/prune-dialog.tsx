/** Removing branches for good: choose, see what would go, confirm. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { BranchesView } from "../../../../src/gateway/wire/rest.ts";
import { useLoad } from "../../state/use-load.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Loaded } from "../../ui/list/states.tsx";
import { plural } from "../../ui/values/plural.ts";
import { branchApi, type PruneChoice } from "./branch-api.ts";
import type { TreeDialogProps } from "./flatten-dialog.tsx";
import { PrunePreview } from "./prune-preview.tsx";

const DAYS = 30;
const WAYS = [
  ["abandoned", "Abandoned ones: no branch starts on them, and you wrote elsewhere since"],
  ["old", `Those without a new entry for ${DAYS} days`],
  ["chosen", "Those that I choose"],
] as const;
type Way = (typeof WAYS)[number][0];

export function PruneDialog({ conversation, view, onDone, onClose }: TreeDialogProps): JSX.Element {
  const [way, setWay] = useState<Way>("abandoned");
  const [names, setNames] = useState<readonly string[]>([]);
  const choice = choiceOf(way, names);
  const preview = useLoad(JSON.stringify(choice), async () => {
    if (choice.names?.length === 0) return { dryRun: true, removed: [], bytes: 0 };
    return branchApi.prune(conversation, choice, true);
  });
  const removed = preview.value?.removed ?? [];
  const prune = async (): Promise<void> => {
    // By name: exactly those that the preview showed.
    await branchApi.prune(conversation, { names: removed.map(({ name }) => name) }, false);
    onDone();
  };
  const verb =
    removed.length === 0 ? "Remove" : `Remove ${plural(removed.length, "branch", "branches")} for good`;
  return (
    <Confirm title="Prune branches" verb={verb} disabled={removed.length === 0} run={prune} onClose={onClose}>
      <fieldset class="choices">
        <legend class="label">Which branches</legend>
        {WAYS.map(([option, label]) => (
          <label key={option} class="choice">
            <input type="radio" name="way" checked={way === option} onChange={() => setWay(option)} />
            {label}
          </label>
        ))}
      </fieldset>
      {way === "chosen" && <Names view={view} chosen={names} onChoose={setNames} />}
      <h3 class="preview-heading">What would go</h3>
      <Loaded load={preview} what="The preview could not be made">
        {(pruned) => <PrunePreview pruned={pruned} />}
      </Loaded>
    </Confirm>
  );
}

interface NamesProps {
  readonly view: BranchesView;
  readonly chosen: readonly string[];
  onChoose(names: readonly string[]): void;
}

function Names({ view, chosen, onChoose }: NamesProps): JSX.Element {
  return (
    <fieldset class="prune-names">
      <legend class="unseen">Branches to remove</legend>
      {view.branches
        .filter(({ active, name }) => !active && name !== "main")
        .map(({ name, firstWords }) => (
          <label key={name} class="choice">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                onChoose(checked ? [...chosen, name] : chosen.filter((other) => other !== name))
              }
            />
            <span class="branch-name cut">{name}</span>
            <span class="branch-words cut" title={firstWords ?? ""}>
              {firstWords}
            </span>
          </label>
        ))}
    </fieldset>
  );
}

function choiceOf(way: Way, names: readonly string[]): PruneChoice {
  if (way === "chosen") return { names };
  return way === "old" ? { olderThanDays: DAYS } : { abandoned: true };
}
