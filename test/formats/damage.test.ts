import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ANY_FORMAT } from "../../src/formats/import/detection/candidates.ts";
import { linesFormat } from "../../src/formats/import/detection/choose-format.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { isPlainObject, type Json, type JsonObject } from "../../src/util/json.ts";
import { DAMAGE_RUNS, damage, damaged, kept } from "../support/damage.ts";
import { fc } from "../support/fast-check.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Files of one record a line: damage to one line says nothing about the others. */
const FILES = readdirSync("test/fixtures", { recursive: true, encoding: "utf8" })
  // Forks of one session are alike; other files of the same versions are enough.
  .filter((name) => name.endsWith(".jsonl") && !/^own|session_index|-forks/.test(name))
  .filter((name) => readFileSync(join("test/fixtures", name)).length > 0);

/** Lines that are complete values, as text of their JSON. */
function values(bytes: Buffer): string[] {
  const lines = bytes.toString("latin1").split("\n").slice(0, -1);
  return lines.flatMap((line) => {
    try {
      return [JSON.stringify(JSON.parse(Buffer.from(line, "latin1").toString()))];
    } catch {
      return [];
    }
  });
}

/** Two days ago. */
const LEFT_S = Date.now() / 1000 - 2 * 86_400;

/** Where a conversation with all its messages is one record, they are kept one by one. */
const LISTS = ["messages", "conversations", "items"];

function isKept(value: Json, found: ReadonlySet<string>): boolean {
  if (found.has(JSON.stringify(value))) return true;
  const list = LISTS.find((name) => isPlainObject(value) && Array.isArray(value[name]));
  if (list === undefined) return false;
  const { [list]: items, ...rest } = value as JsonObject;
  const isRestKept = Object.keys(rest).length === 0 || found.has(JSON.stringify(rest));
  return isRestKept && (items as Json[]).every((item) => found.has(JSON.stringify(item)));
}

/** Whether some record that is left says by itself what the file is. */
function isRecognisable(left: readonly string[], path: string): boolean {
  const records = left.slice(0, 20).map((text) => JSON.parse(text) as JsonObject);
  return records.some((record) => linesFormat([record], path, ANY_FORMAT) !== undefined);
}

describe("damage to a file of lines", () => {
  it.each(FILES)(
    "never ends an import, never costs an undamaged record, and changes nothing the second time: %s",
    async (name) => {
      const bytes = readFileSync(join("test/fixtures", name));
      const intact = new Set(values(bytes));
      await fc.assert(
        fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
          const folder = join(tempFolder(), dirname(name));
          mkdirSync(folder, { recursive: true });
          const broken = damages.reduce(damaged, bytes);
          const file = join(folder, basename(name));
          writeFileSync(file, broken);
          await using store = await openStore("ephemeral:");
          await importConversations(store, [folder]);
          expect((await importConversations(store, [folder], { verify: true })).missing).toEqual([]);
          expect(await importConversations(store, [folder], { again: true })).toMatchObject({ messages: 0 });
          // A session that has only begun, or whose last line is torn, is imported once its tool has left it.
          utimesSync(file, LEFT_S, LEFT_S);
          await importConversations(store, [folder]);
          const found = await kept(store);
          const left = values(broken).filter((value) => intact.has(value));
          fc.pre(isRecognisable(left, file));
          expect(left.filter((value) => !isKept(JSON.parse(value), found))).toEqual([]);
        }),
        { numRuns: DAMAGE_RUNS, endOnFailure: true },
      );
    },
    60_000,
  );
});
