/** Tells when a key was added, changed or removed, by any process. */
import type { Agents } from "../../channel/setup/agents.ts";

const INTERVAL_MS = 1000;

/** Polled, as the config is: change events differ between file systems and containers. */
export function watchCredentials(agents: Agents, onChange: () => Promise<void>): { close(): void } {
  let known: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const look = async (): Promise<void> => {
    // A file that is damaged or being repaired is looked at again; those who need it say what is wrong.
    const stamp = await agents.installation.credentials.stamp().catch(() => known);
    const isChanged = known !== undefined && stamp !== known;
    known = stamp;
    if (isChanged) await onChange();
    if (!isClosed) timer = setTimeout(() => void look(), INTERVAL_MS).unref();
  };
  void look();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
