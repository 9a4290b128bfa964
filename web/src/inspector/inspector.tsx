/** Beside a conversation: its tree, its context and its details. */
import type { JSX } from "preact";
import type { ConversationDetails } from "../../../src/gateway/wire/rest.ts";
import { IconButton } from "../ui/button.tsx";

export type InspectorTab = "tree" | "context" | "details";

export interface InspectorProps {
  readonly conversation: ConversationDetails;
  readonly tab: InspectorTab;
  onTab(tab: InspectorTab): void;
  onClose(): void;
  /** After a branch was checked out, flattened, pruned or compacted: read the conversation again. */
  onChanged(): void;
}

export function Inspector({ conversation, tab, onClose }: InspectorProps): JSX.Element {
  return (
    <header class="bar">
      <h2 class="grow cut">
        {tab} · {conversation.title}
      </h2>
      <IconButton icon="close" name="Close" keys="Esc" onClick={onClose} />
    </header>
  );
}
