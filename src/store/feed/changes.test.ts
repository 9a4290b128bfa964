import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { SqliteEngine } from "../../engine/sqlite/sqlite-engine.ts";
import { openStore } from "../open.ts";

it("a feed that resumes does not ask where the feed ends, and so leaves no error of it behind", async () => {
  const engine = await SqliteEngine.open(join(tempFolder(), "store.db"), {
    ...{ readonly: false, durability: "process", lockWaitMs: 1000, onProblem: () => {} },
  });
  const asked: unknown[] = [];
  const changes = engine.changes.bind(engine);
  engine.changes = (after, limit) => {
    asked.push(after);
    return changes(after, limit);
  };
  await using store = await openStore(engine);
  const feed = store.changes();
  await store.create();
  await store.create();
  const first = await feed.next();
  expect(asked[0]).toBeNull();
  asked.length = 0;
  const rest = store.changes({ since: first.value?.cursor ?? "" });
  expect((await rest.next()).value).toMatchObject({ type: "created" });
  expect(asked).not.toContain(null);
  await Promise.all([feed.return(), rest.return()]);
});
