import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openDatabase } from "../../sqlite/open.ts";
import { openMemory } from "../open-memory.ts";
import { APPLICATION_ID, migrations } from "./migrations.ts";

it("finds the words of a memory that was written before its words were those of search", async () => {
  const path = join(tempFolder(), "memory.db");
  const old = await openDatabase(path, {
    synchronous: "FULL",
    applicationId: APPLICATION_ID,
    migrations: migrations.slice(0, 3),
  });
  old.exec(`
    INSERT INTO memory_sources VALUES (1, 'note:1', 'note', '', 0);
    INSERT INTO memory_chunks VALUES (7, 'u', 1, 1, 1, '["Ports"]', 'harbours and fitToWindow', 'h', 0.5, NULL, 0);
    INSERT INTO memory_chunks_fts (rowid, words, headings) VALUES (7, 'harbours', 'Ports');
  `);
  old.close();
  await using memory = await openMemory(path);
  for (const question of ["harbour", "port", "window"]) {
    expect((await memory.search(question)).chunks).toHaveLength(1);
  }
});
