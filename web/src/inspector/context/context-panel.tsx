/** Inspector · context: what would be sent to the model, and what became of every message on the way. */
import type { JSX } from "preact";
import { mayWrite } from "../../api/session.ts";
import { useLoad } from "../../state/use-load.ts";
import { Loaded } from "../../ui/list/states.tsx";
import type { PanelProps } from "../inspector.tsx";
import { useFollow } from "../use-follow.ts";
import { CompactActions } from "./compact-actions.tsx";
import { contextApi } from "./context-api.ts";
import { ContextBar } from "./context-bar.tsx";
import { LedgerList } from "./ledger-list.tsx";
import { sentText } from "./sent-text.ts";
import "./context.css";

export function ContextPanel({ conversation, onChanged }: PanelProps): JSX.Element {
  const { id } = conversation;
  const context = useLoad(id, (signal) => contextApi.read(id, signal));
  useFollow(conversation, context);
  const changed = (): void => {
    context.reload();
    onChanged();
  };
  return (
    <Loaded load={context} what="The context could not be made">
      {(view) => (
        <div class="panel">
          <ContextBar view={view} />
          {mayWrite() && <CompactActions conversation={conversation} onChanged={changed} />}
          <h3 class="context-heading">What becomes of each message</h3>
          <LedgerList conversation={id} items={view.ledger} />
          <details class="context-sent">
            <summary>What would be sent</summary>
            <pre>{sentText(view.messages)}</pre>
          </details>
        </div>
      )}
    </Loaded>
  );
}
