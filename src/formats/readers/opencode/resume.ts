import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PlaceRoots, ResumeRule } from "../../contract/format.ts";
import { openSourceDatabase } from "../../sources/database.ts";
import { importFile } from "./import-file.ts";

export const opencodeResume: ResumeRule = {
  tool: "opencode",
  place: () => undefined,
  command: ({ sourceId }) => ["opencode", "--session", sourceId],
  rows: { isThere: hasSession, file: importFile, command: (path) => ["opencode", "import", path] },
};

async function hasSession(id: string, { data }: PlaceRoots): Promise<boolean> {
  const path = join(data, "opencode", "opencode.db");
  // Older versions have a folder of files for the messages of each session.
  if (!existsSync(path)) {
    return /^\w+$/.test(id) && existsSync(join(data, "opencode", "storage", "message", id));
  }
  const database = await openSourceDatabase(path);
  try {
    if (!database.columns("session").includes("id")) return false;
    return [...database.rows("SELECT id FROM session WHERE id = ?", id)].length > 0;
  } finally {
    database.close();
  }
}
