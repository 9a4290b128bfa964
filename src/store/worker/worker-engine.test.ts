import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../open.ts";

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
});
