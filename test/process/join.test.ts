import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { runScript } from "../support/processes/run-script.ts";
import { createWithKeys } from "../support/samples/old-keys.ts";
import { tempFolder } from "../support/temp-folder.ts";

const CHILD = fileURLToPath(new URL("join-child.ts", import.meta.url));

describe("joining conversations", () => {
  it.each(["sqlite:store.db", "jsonl:store"])(
    "in %s loses nothing and completes, if it is killed after every commit",
    async (name) => {
      const target = name.replace(":", `:${tempFolder()}/`);
      const [one, two] = (await createWithKeys(target, ["CLI:Default", "cli:local"])) as [string, string];
      {
        let nowMs = Date.now();
        // The second one is used last, by a millisecond at least.
        await using store = await openStore(target, { clock: () => nowMs++ });
        await (await store.get(one))?.append([
          { role: "user", content: "a1" },
          { role: "assistant", content: "a2" },
        ]);
        await (await store.get(two))?.append({ role: "user", content: "b1" });
      }
      let kills = 0;
      for (let output = ""; output !== "done"; kills++) {
        output = (await runScript(CHILD, target)).output;
        await using store = await openStore(target, { readonly: true });
        const logs = await Array.fromAsync(store.list(), async ({ id }) => [
          ...(await Array.fromAsync((await store.snapshot(id)).log())),
        ]);
        const words = new Set(logs.flat().map(({ message }) => message?.content));
        for (const text of ["a1", "a2", "b1"]) expect(words).toContain(text);
        expect(kills).toBeLessThan(20);
      }
      expect(kills).toBeGreaterThan(3);
      await using store = await openStore(target);
      expect((await store.list()).items).toMatchObject([{ id: two, key: "cli:default", messageCount: 3 }]);
      expect((await store.validate()).findings).toEqual([]);
    },
  );
});
