import type { JSX } from "preact";
import type { ConversationSummary } from "../../../../src/gateway/wire/rest.ts";
import { titleOf } from "../../list/title.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { RemovalTable } from "../../ui/list/tables.tsx";
import { exactCount } from "../../ui/values/count.tsx";
import { plural } from "../../ui/values/plural.ts";
import { trashApi } from "./trash-api.ts";

export interface PurgeDialogProps {
  readonly conversations: readonly ConversationSummary[];
  onDone(): void;
  onClose(): void;
}

/** Removing conversations for good, after a look at what goes. */
export function PurgeDialog({ conversations, onDone, onClose }: PurgeDialogProps): JSX.Element {
  const purge = async (): Promise<void> => {
    try {
      for (const { id } of conversations) await trashApi.purge(id);
    } finally {
      // Also after a failure: some of them are gone.
      onDone();
    }
  };
  const count = plural(conversations.length, "conversation");
  return (
    <Confirm title={`Purge ${count}`} verb={`Remove ${count} for good`} run={purge} onClose={onClose}>
      <p>
        Messages, branches, search entries and files that nothing else uses go with it. This cannot be undone.
      </p>
      <RemovalTable
        heads={["Conversation", "Messages", "Branches"]}
        rows={conversations.map((item) => [
          titleOf(item),
          exactCount(item.messageCount),
          exactCount(item.branchCount),
        ])}
      />
    </Confirm>
  );
}
