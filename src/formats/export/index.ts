/** Exports conversations in our formats and those of other tools. */
import type { Store } from "../../store/store.ts";
import { Cleaner } from "./cleaning.ts";
import { outline } from "./document/outline.ts";
import { html } from "./html/html.ts";
import { json } from "./json.ts";
import { jsonl } from "./jsonl.ts";
import { chatMessages } from "./lists/chat-messages.ts";
import { markdown } from "./markdown/markdown.ts";
import { openclaw } from "./openclaw/openclaw.ts";
import { checkOptions, type ExportOptions, type Wanted } from "./options.ts";
import { claudeCode } from "./sessions/claude-code.ts";
import { codex } from "./sessions/codex.ts";

export { EXPORT_FORMATS, type ExportFormat, type ExportOptions } from "./options.ts";

/** An export, piece by piece. */
export interface Export extends AsyncIterable<string> {
  /** The number of secrets redacted so far. */
  readonly redacted: number;
}

/**
 * A conversation in another format, as pieces of text.
 *
 * Contract: the pieces are those of one moment, whatever is appended
 * meanwhile. They are read a page at a time, so that memory does not grow with
 * the conversation; only lists of messages for a model (`claude`, `openai`,
 * `ai-sdk`) are gathered first. Wrong options throw at once; `NOT_FOUND` comes
 * with the first piece.
 */
export function exportConversation(store: Store, idOrKey: string, options: ExportOptions): Export {
  const wanted = checkOptions(options);
  const cleaner = new Cleaner(wanted);
  const pieces = write(store, idOrKey, wanted, cleaner);
  return {
    [Symbol.asyncIterator]: () => pieces,
    get redacted() {
      return cleaner.redacted;
    },
  };
}

async function* write(
  store: Store,
  idOrKey: string,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<string, void, undefined> {
  const snapshot = await store.snapshot(idOrKey);
  switch (wanted.to) {
    case "markdown":
      return yield* markdown(outline(snapshot, wanted, cleaner));
    case "html":
      return yield* html(outline(snapshot, wanted, cleaner));
    case "json":
      return yield* json(snapshot, wanted, cleaner);
    case "jsonl":
      return yield* jsonl(snapshot, wanted, cleaner);
    case "openclaw":
      return yield* openclaw(snapshot, wanted, cleaner);
    case "claude-code":
      return yield* claudeCode(snapshot, wanted, cleaner);
    case "codex":
      return yield* codex(snapshot, wanted, cleaner);
    default:
      return yield* chatMessages(snapshot, wanted, cleaner);
  }
}
