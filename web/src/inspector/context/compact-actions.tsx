import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { GatewayError } from "../../../../src/gateway/client/index.ts";
import { useAction } from "../../state/use-action.ts";
import { useLoad } from "../../state/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import type { PanelProps } from "../inspector.tsx";
import { useFollow } from "../use-follow.ts";
import { contextApi } from "./context-api.ts";

/** Summarise the beginning now, or take the last summary back. */
export function CompactActions({ conversation, onChanged }: PanelProps): JSX.Element {
  const { id } = conversation;
  const compactions = useLoad(id, (signal) => contextApi.compactions(id, signal));
  useFollow(conversation, compactions);
  const [said, setSaid] = useState("");
  const changed = (words: string): void => {
    setSaid(words);
    compactions.reload();
    onChanged();
  };
  const compact = useAction(async () => {
    try {
      await contextApi.compact(id);
      changed("Compacted: a summary replaces the beginning.");
    } catch (error) {
      // Not a failure: there is nothing to do yet.
      if (!(error instanceof GatewayError) || error.code !== "CONFLICT") throw error;
      setSaid("There is too little to summarise yet. Nothing changed.");
    }
  });
  const undo = useAction(async (compaction: string) => {
    await contextApi.undo(id, compaction);
    changed("Undone: the messages are sent again.");
  });
  const last = compactions.value?.items.findLast(({ undone }) => !undone);
  const busy = compact.running !== null || undo.running !== null;
  return (
    <div class="context-actions">
      <Button small disabled={busy} onClick={() => compact.run()}>
        {compact.running === null ? "Compact now" : "Compacting …"}
      </Button>
      {last !== undefined && (
        <Button small disabled={busy} onClick={() => undo.run(last.id)}>
          Undo the last compaction
        </Button>
      )}
      <p class="quiet small" role="status">
        {said}
      </p>
      <Problem error={compact.error ?? undo.error} />
    </div>
  );
}
