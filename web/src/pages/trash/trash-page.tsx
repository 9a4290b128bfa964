/** Trash: deleted conversations, until they are restored or purged. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConversationSummary } from "../../../../src/gateway/wire/rest.ts";
import { isAdmin } from "../../api/session.ts";
import { titleOf } from "../../list/title.ts";
import { useAction } from "../../state/use-action.ts";
import { usePages } from "../../state/use-pages.ts";
import { Button } from "../../ui/button.tsx";
import { ListEnd } from "../../ui/list/list-end.tsx";
import { Empty, Loaded } from "../../ui/list/states.tsx";
import { PageFrame } from "../../ui/page/page-frame.tsx";
import { Problem } from "../../ui/problem.tsx";
import { hideToastsAbout, showToast } from "../../ui/toast.tsx";
import { PurgeDialog } from "./purge-dialog.tsx";
import { trashApi } from "./trash-api.ts";
import { TrashList } from "./trash-list.tsx";
import "../pages.css";

export function TrashPage(): JSX.Element {
  const trash = usePages("trash", trashApi.list);
  const [purging, setPurging] = useState<readonly ConversationSummary[] | null>(null);
  const restore = useAction(async (item: ConversationSummary) => {
    await trashApi.restore(item.id);
    trash.set((trash.value ?? []).filter(({ id }) => id !== item.id));
    hideToastsAbout(item.id);
    showToast(`Restored: ${titleOf(item)}`);
  });
  const items = trash.value ?? [];
  const actions = isAdmin() && items.length > 1 && (
    <Button onClick={() => setPurging(items)}>Purge all of these…</Button>
  );
  return (
    <PageFrame title="Trash" actions={actions}>
      <p class="lead">
        Deleted conversations stay here until you purge them, or until the retention of the config does.
      </p>
      <Problem error={restore.error} />
      <Loaded load={trash} what="The trash could not be read">
        {(shown) =>
          shown.length === 0 ? (
            <Empty title="The trash is empty" />
          ) : (
            <>
              <TrashList
                items={shown}
                restoring={restore.running?.argument.id ?? null}
                onRestore={restore.run}
                onPurge={(item) => setPurging([item])}
              />
              <ListEnd pages={trash} all="That is all" />
            </>
          )
        }
      </Loaded>
      {purging !== null && (
        <PurgeDialog conversations={purging} onDone={trash.reload} onClose={() => setPurging(null)} />
      )}
    </PageFrame>
  );
}
