import type { JSX } from "preact";
import type { ConversationSummary } from "../../../../src/gateway/wire/rest.ts";
import { isAdmin, mayWrite } from "../../api/session.ts";
import { titleOf } from "../../list/title.ts";
import { Button } from "../../ui/button.tsx";
import { RecordTable } from "../../ui/list/tables.tsx";
import { Count } from "../../ui/values/count.tsx";
import { RelativeTime } from "../../ui/values/time.tsx";

export interface TrashListProps {
  readonly items: readonly ConversationSummary[];
  readonly restoring: string | null;
  onRestore(item: ConversationSummary): void;
  onPurge(item: ConversationSummary): void;
}

export function TrashList({ items, restoring, onRestore, onPurge }: TrashListProps): JSX.Element {
  return (
    <RecordTable heads={["Conversation", "Messages", "Deleted"]}>
      {items.map((item) => (
        <tr key={item.id}>
          <td class="name" title={titleOf(item)}>
            {titleOf(item)}
            {item.key !== null && <span class="sub">{item.key}</span>}
          </td>
          <td data-label="Messages">
            <Count value={item.messageCount} />
          </td>
          <td data-label="Deleted">{item.deletedAt !== null && <RelativeTime at={item.deletedAt} />}</td>
          <td class="row-actions">
            {mayWrite() && (
              <Button small disabled={restoring === item.id} onClick={() => onRestore(item)}>
                Restore<span class="unseen"> {titleOf(item)}</span>
              </Button>
            )}
            {isAdmin() && (
              <Button small look="danger" onClick={() => onPurge(item)}>
                Purge…<span class="unseen"> {titleOf(item)}</span>
              </Button>
            )}
          </td>
        </tr>
      ))}
    </RecordTable>
  );
}
