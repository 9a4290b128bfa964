/** A store that was replaced by an earlier copy of itself: its index notices, even if the copy has grown past it. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { found, Place, say } from "./kit.ts";

describe.each(["sqlite", "jsonl"] as const)("a %s store", (engine) => {
  it.each([
    ["an earlier copy", []],
    ["an earlier copy that was written to since", ["other1", "other2", "other3", "other4", "other5"]],
  ])("that is replaced by %s is searched as it is now", async (_, more) => {
    const place = new Place(engine);
    const [now, earlier] = [join(place.folder, "store"), join(place.folder, "earlier")];
    {
      await using store = await place.open();
      await (await store.open("cli:a")).append(say("kept1", "kept2"));
    }
    cpSync(now, earlier, { recursive: true });
    {
      await using store = await place.open();
      await (await store.open("cli:a")).append(say("lost1", "lost2"));
      expect(await found(store, "lost1")).toEqual(["lost1"]);
    }
    // The index stays, though that of a folder is in it.
    const index = join(place.folder, "index");
    cpSync(place.index, index);
    rmSync(now, { recursive: true });
    cpSync(earlier, now, { recursive: true });
    cpSync(index, place.index);
    await using store = await place.open();
    if (more.length > 0) await (await store.open("cli:a")).append(say(...more));
    for (const word of ["kept1", "kept2", ...more]) expect(await found(store, word)).toEqual([word]);
    for (const word of ["lost1", "lost2"]) expect((await store.search(word)).hits).toEqual([]);
  });
});
