/** Inspector · tree: the branches of a conversation, and what can be done with them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { mayWrite } from "../../api/session.ts";
import { useAction } from "../../state/use-action.ts";
import { useLoad } from "../../state/use-load.ts";
import { Loaded } from "../../ui/list/states.tsx";
import { Problem } from "../../ui/problem.tsx";
import { CompareDialog } from "../compare/compare-dialog.tsx";
import type { PanelProps } from "../inspector.tsx";
import { useFollow } from "../use-follow.ts";
import { branchApi } from "./branch-api.ts";
import { BranchTree } from "./branch-tree.tsx";
import { DepthIndicator } from "./depth-indicator.tsx";
import { FlattenDialog } from "./flatten-dialog.tsx";
import { PruneDialog } from "./prune-dialog.tsx";
import "../../pages/pages.css";
import "./branch-tree.css";

type Open =
  | { readonly what: "flatten" }
  | { readonly what: "prune" }
  | { readonly what: "compare"; readonly name: string };

export function TreePanel({ conversation, onChanged }: PanelProps): JSX.Element {
  const { id } = conversation;
  const branches = useLoad(id, (signal) => branchApi.list(id, signal));
  useFollow(conversation, branches);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const changed = (): void => {
    branches.reload();
    onChanged();
  };
  const checkout = useAction(async (name: string) => {
    await branchApi.checkout(id, name);
    changed();
  });
  return (
    <Loaded load={branches} what="The branches could not be read">
      {(view) => (
        <div class="tree-panel">
          <DepthIndicator
            view={view}
            onFlatten={() => setOpen({ what: "flatten" })}
            onPrune={() => setOpen({ what: "prune" })}
          />
          <Problem error={checkout.error} />
          <BranchTree
            branches={view.branches}
            pending={checkout.running?.argument ?? null}
            {...(mayWrite() && { onCheckout: checkout.run })}
            onCompare={(name) => setOpen({ what: "compare", name })}
          />
          {open?.what === "flatten" && (
            <FlattenDialog conversation={id} view={view} onDone={changed} onClose={close} />
          )}
          {open?.what === "prune" && (
            <PruneDialog conversation={id} view={view} onDone={changed} onClose={close} />
          )}
          {open?.what === "compare" && (
            <CompareDialog
              conversation={id}
              branches={view.branches}
              first={view.branches.find(({ active }) => active)?.name ?? "main"}
              second={open.name}
              onClose={close}
            />
          )}
        </div>
      )}
    </Loaded>
  );
}
