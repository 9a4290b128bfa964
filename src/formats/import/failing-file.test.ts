import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import { importConversations } from "./run.ts";

let folder: string;
let sources: string;
let path: string;

beforeEach(() => {
  folder = tempFolder();
  sources = join(folder, "sources");
  path = join(folder, "store.db");
  mkdirSync(sources);
  for (const name of ["a", "b", "c", "d"]) {
    const says = (n: number): string =>
      piSays(`${name}${n}`, n === 1 ? null : `${name}${n - 1}`, `${name} ${n}`);
    writeFileSync(join(sources, `${name}.jsonl`), piHeader(name) + [1, 2, 3].map(says).join(""));
  }
});

/** SQLite refuses an entry, with an error that the store does not expect. */
function refuse(entry: string): void {
  const database = new DatabaseSync(path);
  database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN NEW.id = '${entry}'
    BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
  database.close();
}

function allow(): void {
  const database = new DatabaseSync(path);
  database.exec("DROP TRIGGER refuse");
  database.close();
}

describe("a file whose entries the store cannot take", () => {
  it("is reported, leaves nothing behind, and does not stop the others", async () => {
    await (await openStore(`sqlite:${path}`)).close();
    refuse("b2");
    await using store = await openStore(`sqlite:${path}`);
    const report = await importConversations(store, [sources]);
    expect(report.skipped).toEqual([
      {
        source: join(sources, "b.jsonl"),
        line: null,
        offset: null,
        reason: expect.stringContaining("not this one"),
      },
    ]);
    expect(report.messages).toBe(9);
    expect((await store.list()).items.map(({ key }) => key).sort()).toEqual(["pi:a", "pi:c", "pi:d"]);
  });

  it("leaves an existing conversation as it was, and is read again when the cause is gone", async () => {
    {
      await using store = await openStore(`sqlite:${path}`);
      await importConversations(store, [sources]);
    }
    writeFileSync(
      join(sources, "b.jsonl"),
      `${piHeader("b")}${piSays("b4", "b3", "b 4")}${piSays("b5", "b4", "b 5")}`,
    );
    refuse("b5");
    await using store = await openStore(`sqlite:${path}`);
    const before = await (await store.get("pi:b"))?.info();
    expect(await importConversations(store, [sources])).toMatchObject({ skippedCount: 1, messages: 0 });
    expect(await (await store.get("pi:b"))?.info()).toEqual(before);
    allow();
    expect(await importConversations(store, [sources])).toMatchObject({ skippedCount: 0, messages: 2 });
  });
});
