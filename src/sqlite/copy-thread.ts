/** The thread of a backup. */
import { DatabaseSync } from "node:sqlite";
import { answer } from "./background.ts";
import { type CopyRequest, copyDatabase } from "./copy.ts";

answer(({ path, waitMs, to, tidy }: CopyRequest) => {
  using database = new DatabaseSync(path, { timeout: waitMs, readOnly: true });
  copyDatabase(database, to, tidy);
});
