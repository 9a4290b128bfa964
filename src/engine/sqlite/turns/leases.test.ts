import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";

it("does not reuse the epochs of a lease that is damaged", async () => {
  const path = join(tempFolder(), "store.db");
  await using store = await openStore(`sqlite:${path}`);
  const chat = await store.create();
  const lost = await chat.lease();
  const database = new DatabaseSync(path);
  database.exec("UPDATE leases SET state = '{ torn'");
  database.close();
  const next = await chat.lease();
  expect(next.epoch).toBeGreaterThan(1000);
  await expect(chat.append({ role: "user", content: "late" }, { lease: lost })).rejects.toMatchObject({
    code: "CONFLICT",
    field: "lease",
  });
});
