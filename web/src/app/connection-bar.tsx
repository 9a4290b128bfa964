import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { connection, refused } from "../api/live.ts";
import { useCell } from "../state/cell.ts";

/** A short break is not worth a word. */
const PATIENCE_MS = 600;

/** A thin bar while there are no live updates. Everything that is loaded can be read, and typing is kept. */
export function ConnectionBar(): JSX.Element {
  const state = useCell(connection);
  const isLost = state === "reconnecting" || state === "closed";
  const [reason] = useCell(refused).values();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isLost) {
      setLate(false);
      return;
    }
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLost]);
  let text = "";
  if (isLate && state === "closed") text = "Live updates have ended. Reload the page to sign in again.";
  else if (isLate) text = "Reconnecting. What you type is kept.";
  else if (reason !== undefined && !isLost) text = `No live updates: ${reason}. The page keeps trying.`;
  return (
    <div role="status" class={text === "" ? "unseen" : "status-bar"}>
      {text}
    </div>
  );
}
