import type { JSX } from "preact";
import type { BranchesView } from "../../../../src/gateway/wire/rest.ts";
import { isAdmin, mayWrite } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { plural } from "../../ui/values/plural.ts";
import { depthState } from "./depth.ts";
import { flattenPreview } from "./flatten-preview.ts";

export interface DepthIndicatorProps {
  readonly view: BranchesView;
  onFlatten(): void;
  onPrune(): void;
}

/** How deep the tree is. Amber beyond the warning depth, red at the limit, with a sentence and the ways out. */
export function DepthIndicator({ view, onFlatten, onPrune }: DepthIndicatorProps): JSX.Element {
  const { level, depth, max, sentence } = depthState(view);
  const { branches } = view;
  const onMain = flattenPreview(branches) === null;
  return (
    <div class={`depth-indicator ${level}`}>
      <div class="depth-line">
        <span>{plural(branches.length, "branch", "branches")}</span>
        <span class="depth-meter">
          <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect width={100} height={6} />
            <rect class="filled" width={Math.min(100, (depth / max) * 100)} height={6} />
          </svg>
          depth {depth} of {max}
        </span>
      </div>
      {sentence !== null && <p class="depth-sentence">{sentence}</p>}
      {mayWrite() && branches.length > 1 && (
        <div class="depth-actions">
          <Button
            small
            disabled={onMain}
            onClick={onFlatten}
            title={
              onMain ? "main is checked out: there is nothing to flatten" : "Make the checked-out path main"
            }
          >
            Flatten…
          </Button>
          {isAdmin() && (
            <Button small onClick={onPrune} title="Remove branches for good">
              Prune…
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
