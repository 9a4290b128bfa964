import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { originalSources } from "../../src/formats/export/original/original.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

const OLD = "2020-01-01T00:00:00.000Z";

describe.each(["sqlite", "jsonl", "ephemeral"])("a branch that is pruned, in %s", (engine) => {
  it("keeps its original if someone adds to it meanwhile, so that it stays", async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "s"));
    const file = join(folder, "s", "s.jsonl");
    const lines = [
      piSays("a", null, "A", OLD),
      piSays("b", "a", "The first way", OLD),
      piSays("c", "a", "The other", OLD),
    ];
    writeFileSync(file, piHeader("s1") + lines.join(""));
    await using store = await openStore(
      engine === "ephemeral" ? "ephemeral:" : `${engine}:${join(folder, "store")}`,
    );
    await importConversations(store, [join(folder, "s")]);
    const chat = await store.open("pi:s1");
    const idle = (await chat.branches()).find(({ name }) => name !== "main")?.name ?? "";
    await chat.checkout("main");
    const [pruned] = await Promise.all([
      chat.pruneBranches({ olderThanDays: 1 }),
      chat.append({ role: "user", content: "Still here" }, { branch: idle }),
    ]);
    expect(pruned.removed).toEqual([]);
    expect((await chat.branches()).map((branch) => branch.name)).toContain(idle);
    const [source] = await originalSources(store, "pi:s1");
    const bytes = Buffer.concat(await Array.fromAsync(source?.bytes() ?? [])).toString();
    expect(bytes).toBe(readFileSync(file, "utf8"));
  });
});
