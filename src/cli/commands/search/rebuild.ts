import type { BuildProgress, Store } from "../../../store/index.ts";
import type { Call } from "../../command.ts";
import { numberText } from "../../terminal/count-text.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { statusLine } from "../../terminal/progress.ts";

/** Build the search index again. False if it was stopped with Ctrl-C; the store is closed then. */
export async function rebuildIndex(call: Call, store: Store): Promise<boolean> {
  const { signal, end } = stopOnInterrupt();
  const status = statusLine(call);
  signal.addEventListener("abort", () => void store.close());
  try {
    await store.rebuildSearch({ onProgress: (progress) => status.show(progressText(progress)) });
    return !signal.aborted;
  } finally {
    status.clear();
    end();
  }
}

function progressText({ messages, total }: BuildProgress): string {
  const percent = total === 0 ? 100 : Math.min(100, Math.floor((100 * messages) / total));
  return `Indexing ${numberText(messages)} of ${numberText(total)} messages · ${percent} %`;
}
