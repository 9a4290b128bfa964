import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plantedSecrets } from "../../../test/support/samples/planted-secrets.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { importConversations } from "../../formats/index.ts";
import { rememberSecrets } from "../../secrets/known-secrets.ts";
import { openStore } from "../open.ts";

const PLANTED = plantedSecrets();
const LISTED = "the blue house by the lake";
const KNOWN = "correct-horse-battery";
const SECRETS = [...PLANTED.map(({ secret }) => secret), LISTED, KNOWN];

function leaks(folder: string): string[] {
  const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
  return SECRETS.filter((secret) => texts.some((text) => text.includes(secret)));
}

describe.each(["sqlite", "jsonl"])("a store that redacts, in %s", (engine) => {
  const place = () => {
    const folder = tempFolder();
    return { folder, target: engine === "sqlite" ? `sqlite:${join(folder, "a.db")}` : `jsonl:${folder}` };
  };

  it("has no secret in any file, whichever way a message comes", async () => {
    rememberSecrets([KNOWN]);
    const { folder, target } = place();
    const all = [...PLANTED.map(({ text }) => text), LISTED, `It is ${KNOWN}.`].join("\n\n");
    await using store = await openStore(target, { redact: [LISTED] });
    const chat = await store.create();
    const long = `${"word ".repeat(40_000)}\n${all}`;
    const { entries } = await chat.append([
      { role: "user", content: all },
      { role: "user", content: long },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "shell", input: { env: { all } } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: all }] },
      { role: "assistant", content: [{ type: "thinking", thinking: all, signature: "sealed" }] },
      { role: "assistant", content: [{ type: "thinking", thinking: "Nothing.", signature: "sealed" }] },
    ]);
    expect(leaks(folder)).toEqual([]);
    const turn = await chat.beginTurn();
    for (let at = 0; at < all.length; at += 7) void turn.delta(all.slice(at, at + 7));
    await turn.delta("\nThe end");
    expect(leaks(folder)).toEqual([]);
    expect(turn.text).toContain(LISTED);
    await turn.finish();
    await chat.edit(entries[0]?.id ?? "", { role: "user", content: all });
    await chat.compact({ keepMessages: 1, summarize: () => `They said ${all}` });
    expect(leaks(folder)).toEqual([]);
    const stored = await Array.fromAsync(chat.messages({ all: true }));
    const text = JSON.stringify(stored);
    expect(text.match(/\[redacted: /g)?.length).toBeGreaterThan(6 * 50);
    expect(text).toContain('"tool_use_id":"t1"');
    expect(text).toContain('{"type":"thinking","thinking":"Nothing.","signature":"sealed"}');
    expect(text.match(/sealed/g)).toHaveLength(1);
  });

  it("stores imports as they are, and other stores store everything", async () => {
    const other = tempFolder();
    {
      await using plain = await openStore(`jsonl:${other}`);
      await (await plain.create()).append({ role: "user", content: PLANTED[0]?.text ?? "" });
    }
    await using store = await openStore(place().target, { redact: true });
    await importConversations(store, [other]);
    const [info] = (await store.list()).items;
    const messages = await Array.fromAsync((await store.get(info?.id ?? ""))?.messages() ?? []);
    expect(JSON.stringify(messages)).toContain(PLANTED[0]?.secret);
  });
});

it.each([[1], ["secrets"], [[1]]])("refuses %j as redact", async (redact) => {
  await expect(openStore("ephemeral:", { redact: redact as never })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
});
