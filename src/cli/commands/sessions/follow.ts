/** Entries as they are added, by any process, until Ctrl-C. */
import { ColloquyError } from "../../../errors.ts";
import type { Entry } from "../../../message/types.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Store } from "../../../store/store.ts";
import type { Call, Result } from "../../command.ts";
import { entriesAfter, type Scope } from "../../input/entry-reference.ts";
import { showResult } from "../../show-result.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { entryTable } from "../../view/entry-table.ts";

/** New entries may refer to this many before them by number. */
const KNOWN_ROWS = 50;

/** The first screen of `sessions show`. */
export interface Shown {
  readonly entries: readonly Entry[];
  readonly result: Result;
}

export async function followEntries(
  call: Call,
  store: Store,
  conversation: Conversation,
  scope: Scope,
  show: () => Promise<Shown>,
): Promise<Result> {
  const { signal, end } = stopOnInterrupt();
  try {
    // From before the first reading, so that nothing falls between the two.
    const changes = store.changes({ signal });
    const { entries, result } = await show();
    await showResult(call, { json: result.json, lines: result.lines ?? [] });
    let rows = entries.slice(-KNOWN_ROWS);
    for await (const { conversation: id, type } of changes) {
      if (id !== conversation.id) continue;
      if (type === "trashed" || type === "purged") {
        call.out.note(
          type === "trashed" ? "The conversation was moved to the trash." : "The conversation was purged.",
        );
        break;
      }
      const added = await addedAfter(conversation, rows.at(-1)?.seq ?? 0, scope);
      if (added.length === 0) continue;
      printEntries(call, rows, added);
      rows = [...rows, ...added].slice(-KNOWN_ROWS);
    }
    return { json: null };
  } finally {
    end();
  }
}

/** None if the conversation is gone by now: the change that says so follows. */
async function addedAfter(conversation: Conversation, seq: number, scope: Scope): Promise<Entry[]> {
  try {
    return await Array.fromAsync(entriesAfter(conversation, seq, scope));
  } catch (error) {
    const isGone = error instanceof ColloquyError && error.code === "NOT_FOUND" && error.field !== "branch";
    if (isGone) return [];
    throw error;
  }
}

function printEntries({ json, out }: Call, before: readonly Entry[], added: readonly Entry[]): void {
  if (json) for (const entry of added) out.json({ entry });
  else {
    const lines = entryTable(out, [...before, ...added], { steady: true });
    out.lines(lines.slice(before.length === 0 ? 0 : -added.length));
  }
}
