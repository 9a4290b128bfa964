/** The thread of `verifyStore`. */
import { DatabaseSync } from "node:sqlite";
import { answer } from "../../../sqlite/background.ts";
import { prepareStatements } from "../statements.ts";
import { defineRowSum } from "../sums.ts";
import { verifyDatabase } from "./verify.ts";
import type { VerifyRequest } from "./verify-store.ts";

answer(({ path, waitMs }: VerifyRequest) => {
  using database = new DatabaseSync(path, { timeout: waitMs, readOnly: true });
  defineRowSum(database);
  // Everything is as of one moment.
  database.exec("BEGIN");
  return verifyDatabase(database, prepareStatements(database), path);
});
