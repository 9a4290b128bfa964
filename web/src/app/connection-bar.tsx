import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { connection } from "../api/live.ts";
import { useCell } from "../state/cell.ts";

/** A short break is not worth a word. */
const PATIENCE_MS = 600;

/** A thin bar while there is no connection. Everything that is loaded can be read, and typing is kept. */
export function ConnectionBar(): JSX.Element {
  const state = useCell(connection);
  const isLost = state === "reconnecting" || state === "closed";
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isLost) {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLost]);
  return (
    <div role="status" class={isShown ? "status-bar" : "unseen"}>
      {isShown &&
        (state === "closed"
          ? "Live updates have ended. Reload the page to sign in again."
          : "Reconnecting. What you type is kept.")}
    </div>
  );
}
