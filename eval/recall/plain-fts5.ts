import { DatabaseSync } from "node:sqlite";
import type { Ranking } from "./ranking.ts";
import { type MessageRef, type RecallSet, type SetMessage, storedText } from "./set.ts";

/** The baseline: what a user gets from a bare FTS5 table in ten lines. */
export function plainFts5(set: RecallSet): Ranking & Disposable {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE messages USING fts5(text, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO messages (rowid, text) VALUES (?, ?)");
  const refs: MessageRef[] = [];
  database.exec("BEGIN");
  for (const { id: conversation, messages } of set.conversations) {
    for (const message of messages) {
      insert.run(refs.length, wordsOf(message));
      refs.push({ conversation, message: message.id });
    }
  }
  database.exec("COMMIT");
  const select = database.prepare(
    "SELECT rowid FROM messages WHERE messages MATCH ? ORDER BY bm25(messages), rowid LIMIT ?",
  );
  return {
    name: "plain FTS5",
    search: (text, limit) => {
      const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
      if (words.length === 0) return [];
      const rows = select.all(words.map((word) => `"${word}"`).join(" OR "), limit);
      return rows.map(({ rowid }) => refs[Number(rowid)] as MessageRef);
    },
    [Symbol.dispose]: () => database.close(),
  };
}

function wordsOf(message: SetMessage): string {
  const tools = (message.tools ?? []).map(
    ({ name, input, output = "" }) => `${name} ${JSON.stringify(input)} ${output}`,
  );
  return [storedText(message), ...tools].join("\n");
}
