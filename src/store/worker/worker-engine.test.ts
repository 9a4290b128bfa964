import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../open.ts";

const LATER = "01980000-0000-7000-8000-000000000009";

describe("a store in a worker thread", () => {
  it("fails clearly, and can be closed, when the thread is gone", async () => {
    const posted = vi.spyOn(Worker.prototype, "postMessage");
    const store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`, { worker: true });
    const chat = await store.create();
    const thread = posted.mock.contexts[0] as Worker;
    posted.mockRestore();
    const pending = chat.append({ role: "user", content: "in flight" }).catch((error) => error.code);
    await thread.terminate();
    await pending;
    const late = chat.append({ role: "user", content: "too late" });
    await expect(late).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", message: /worker/ });
    await expect(chat.info()).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    await store.close();
  });

  it("is asked once for calls that are made together, and in their order", async () => {
    await using store = await openStore(`sqlite:${join(tempFolder(), "store.db")}`, { worker: true });
    const { id } = await store.create();
    const ingest = store.ingest();
    const posted = vi.spyOn(Worker.prototype, "postMessage");
    const found = await Promise.all([ingest.find(id), ingest.find("another"), ingest.locate(id, "none")]);
    expect(found.map((value) => value !== undefined)).toEqual([true, false, false]);
    expect(posted).toHaveBeenCalledTimes(1);
    const before = ingest.find(LATER);
    const creating = store.create({ id: LATER });
    expect([await before, (await creating).id]).toEqual([undefined, LATER]);
    posted.mockRestore();
  });
});
