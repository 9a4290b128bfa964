import { useEffect, useRef } from "preact/hooks";
import type { ConversationDetails } from "../../../src/gateway/wire/rest.ts";
import type { Load } from "../state/use-load.ts";

/** Reads something again when the conversation has changed, and keeps showing the old one meanwhile. */
export function useFollow(conversation: ConversationDetails, load: Load<unknown>): void {
  const { id, updatedAt, head, branch, messageCount } = conversation;
  const state = [id, updatedAt, head, branch, messageCount].join(" ");
  const seen = useRef(state);
  useEffect(() => {
    if (seen.current === state) return;
    seen.current = state;
    load.reload();
  }, [state]);
}
