/** No room for the index: searches answer, appends go on, and the index is complete once there is room. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRoot, lacks, must } from "../process/child-process.ts";
import { found, Place, say } from "./kit.ts";

describe.skipIf(lacks(isRoot, "a full file system needs root, to mount a small tmpfs"))(
  "a search index without room",
  () => {
    it.each(["sqlite", "jsonl"] as const)("stops no search and no append (%s)", async (engine) => {
      const place = new Place(engine);
      must("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place.folder);
      try {
        await fill(place);
      } finally {
        must("umount", "-l", place.folder);
      }
    });
  },
);

async function fill(place: Place): Promise<void> {
  await using store = await place.open();
  const chat = await store.open("cli:a");
  const words = Array.from({ length: 3000 }, (_, index) => `word${index}`);
  await chat.append(
    say(...words.map((word, index) => `${word} of ${words.slice(index, index + 20).join(" ")}`)),
  );
  const ballast = join(place.folder, "ballast");
  // All but some pages, so that the index begins and cannot end.
  for (let size = 4 << 20; size > 8192; size >>= 1) {
    try {
      writeFileSync(`${ballast}-${size}`, Buffer.alloc(size));
    } catch {
      rmSync(`${ballast}-${size}`, { force: true });
    }
  }
  // From an index in memory.
  for (let complete = false; !complete; ) complete = (await store.search("word17")).indexed;
  expect(await found(store, "word17")).toHaveLength(18);
  expect(place.problems.map(({ code }) => code)).toContain("SERVICE_UNAVAILABLE");
  for (let size = 4 << 20; size > 8192; size >>= 1) rmSync(`${ballast}-${size}`, { force: true });
  await chat.append(say("a lighthouse at the end"));
  for (let complete = false; !complete; ) complete = (await store.search("lighthouse")).indexed;
  expect(await found(store, "lighthouse")).toEqual(["a lighthouse at the end"]);
  expect((await store.verify()).ok).toBe(true);
}
