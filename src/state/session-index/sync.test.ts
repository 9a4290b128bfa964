import { describe, expect, it } from "vitest";
import { AgentFolder, entry } from "../../../test/support/agent-folder.ts";
import { createWithKeys } from "../../../test/support/samples/old-keys.ts";
import { EphemeralEngine } from "../../engine/ephemeral/ephemeral-engine.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { loadSessionStore } from "./load.ts";
import { patchSessionEntry } from "./patch.ts";
import { syncSessionIndex } from "./sync.ts";

async function begin(store: Store, key: string, title?: string): Promise<string> {
  const chat = await store.open(key, title === undefined ? {} : { title, model: "m" });
  await chat.append({ role: "user", content: "Hello" });
  return chat.id;
}

describe("the index as a view of the store", () => {
  it("has an entry for every conversation with a key", async () => {
    using folder = new AgentFolder();
    await using store = await openStore("ephemeral:");
    const id = await begin(store, "discord:dm:42", "Plans");
    await store.create();
    const report = await syncSessionIndex(store, folder.agentDir);
    expect(report).toEqual({ conversations: 1, added: 1, corrected: 0, removed: 0 });
    const info = await (await store.get(id))?.info();
    expect(folder.read()).toEqual({
      "discord:dm:42": {
        sessionId: id,
        updatedAt: Date.parse(info?.updatedAt ?? ""),
        channel: "discord",
        model: "m",
        label: "Plans",
        compactionCount: 0,
        managedBy: "colloquy",
      },
    });
    expect(await syncSessionIndex(store, folder.agentDir)).toMatchObject({
      added: 0,
      corrected: 0,
      removed: 0,
    });
  });

  it("is corrected where it differs, and keeps fields that the store does not know", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    await using store = await openStore("ephemeral:");
    const id = await begin(store, "discord:dm:42", "Plans");
    await syncSessionIndex(store, agentDir);
    const patch = {
      label: "wrong",
      model: "wrong",
      compactionCount: 9,
      thinkingLevel: "high",
      updatedAt: 9e15,
    };
    await patchSessionEntry({ agentDir, sessionKey: "discord:dm:42", patch });
    expect(await syncSessionIndex(store, agentDir)).toMatchObject({ corrected: 1 });
    expect(folder.read()["discord:dm:42"]).toMatchObject({
      sessionId: id,
      label: "Plans",
      model: "m",
      compactionCount: 0,
      thinkingLevel: "high",
    });
    expect(folder.read()["discord:dm:42"]?.updatedAt).toBeLessThan(9e15);
    const info = (await (await store.get(id))?.info())?.title;
    expect(info).toBe("Plans");
    await (await store.get(id))?.update({ title: null });
    await syncSessionIndex(store, agentDir);
    expect(folder.read()["discord:dm:42"]?.label).toBeUndefined();
  });

  it("keeps the model of the last run and the profile that a user chose for a session", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    await using store = await openStore("ephemeral:");
    const sessionId = await begin(store, "cli:default");
    const chosen = { model: "small", modelProvider: "local", authProfileOverride: "local:work" };
    const patch = { sessionId, managedBy: "colloquy", ...chosen };
    await patchSessionEntry({ agentDir, sessionKey: "cli:default", patch });
    await syncSessionIndex(store, agentDir);
    expect(folder.read()["cli:default"]).toMatchObject(chosen);
  });

  it("loses only the entries of removed conversations", async () => {
    using folder = new AgentFolder();
    const { agentDir } = folder;
    folder.write("sessions.json", { "telegram:+1234567890": entry("of-another-program", 1) });
    await using store = await openStore("ephemeral:");
    const [trashed, purged] = [await begin(store, "cli:a"), await begin(store, "cli:b")];
    await begin(store, "cli:c");
    await syncSessionIndex(store, agentDir);
    await store.delete(trashed);
    await store.purge(purged, { force: true });
    expect(await syncSessionIndex(store, agentDir)).toMatchObject({ removed: 2 });
    expect(Object.keys(folder.read()).sort()).toEqual(["cli:c", "telegram:+1234567890"]);
  });

  it("assigns a key to the conversation of the store and keeps that of another program under another key", async () => {
    using folder = new AgentFolder();
    folder.write("sessions.json", {
      "discord:direct:42": entry("foreign", 1, { deliveryContext: { to: "42" }, totalTokens: 9 }),
    });
    await using store = await openStore("ephemeral:");
    const id = await begin(store, "discord:dm:42");
    await syncSessionIndex(store, folder.agentDir);
    const index = folder.read();
    // Where to deliver belongs to the key; how many tokens there are, to the conversation.
    expect(index["discord:dm:42"]).toMatchObject({ sessionId: id, deliveryContext: { to: "42" } });
    expect(index["discord:dm:42"]?.totalTokens).toBeUndefined();
    const others = Object.entries(index).filter(([key]) => key.startsWith("discord:dm:42~"));
    expect(others.map(([, { sessionId }]) => sessionId)).toEqual(["foreign"]);
  });

  it("restores the keys that an empty index has lost", async () => {
    using folder = new AgentFolder();
    await using store = await openStore("ephemeral:");
    const id = await begin(store, "discord:dm:42");
    folder.write(`${id}.jsonl`, '{"role":"user","content":"Hello","timestamp":5}\n');
    folder.write("sessions.json", "");
    expect(Object.keys(loadSessionStore({ agentDir: folder.agentDir }))).toEqual([`recovered:${id}`]);
    await syncSessionIndex(store, folder.agentDir);
    expect(folder.read()).toMatchObject({ "discord:dm:42": { sessionId: id, sessionFile: `${id}.jsonl` } });
    expect(Object.keys(folder.read())).toEqual(["discord:dm:42"]);
  });

  it("keeps both of two conversations whose legacy keys become one", async () => {
    using folder = new AgentFolder();
    const engine = new EphemeralEngine();
    const ids = await createWithKeys(engine, ["discord:direct:42", "discord:dm:42"]);
    await using store = await openStore(engine);
    await syncSessionIndex(store, folder.agentDir);
    expect(
      Object.values(folder.read())
        .map(({ sessionId }) => sessionId)
        .sort(),
    ).toEqual(ids);
    expect(Object.keys(folder.read()).length).toBe(2);
  });
});
