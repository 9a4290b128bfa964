/** Which conversations wait for a tool here: a run that the tool starts in one of them would wait for itself. */
import { AsyncLocalStorage } from "node:async_hooks";

interface Inside {
  readonly conversation: string;
  readonly around: Inside | undefined;
  isWaiting: boolean;
}

const calls = new AsyncLocalStorage<Inside>();

export async function insideTool<T>(conversation: string, work: () => Promise<T>): Promise<T> {
  const inside: Inside = { conversation, around: calls.getStore(), isWaiting: true };
  try {
    return await calls.run(inside, work);
  } finally {
    // What the tool has left running may start a run from now on.
    inside.isWaiting = false;
  }
}

export function waitsForTool(conversation: string): boolean {
  for (let inside = calls.getStore(); inside !== undefined; inside = inside.around) {
    if (inside.conversation === conversation && inside.isWaiting) return true;
  }
  return false;
}
