import { randomBytes } from "node:crypto";
import { readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../open.ts";

const BYTES = randomBytes(3 * 1024 * 1024);

/** Remove bytes from the only blob of a store. */
const CUTS: readonly (readonly [string, (path: string) => void])[] = [
  [
    "jsonl",
    (path) => {
      const name = readdirSync(path, { recursive: true, encoding: "utf8" }).find((file) =>
        /[0-9a-f]{64}$/.test(file),
      );
      truncateSync(join(path, name as string), 1_500_000);
    },
  ],
  [
    "sqlite",
    (path) => {
      const database = new DatabaseSync(path);
      database.exec("DELETE FROM blob_chunks WHERE position >= 1048576");
      database.close();
    },
  ],
];

describe("reading a blob", () => {
  it.each(CUTS)("reports missing bytes as damage (%s)", async (engine, cut) => {
    const path = join(tempFolder(), "store");
    await using store = await openStore(`${engine}:${path}`);
    const { hash } = await store.putBlob(BYTES);
    cut(path);
    const reading = Array.fromAsync((await store.blob(hash)) ?? []);
    await expect(reading).rejects.toHaveProperty("code", "SERVICE_UNAVAILABLE");
    await expect(reading).rejects.toThrow(/damaged/);
  });
});
