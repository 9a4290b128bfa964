import type { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { until } from "../../../test/support/until.ts";
import { KeepingElsewhere } from "./keeping-elsewhere.ts";

it("does not end an order because the thread before it has ended", async () => {
  const threads: Worker[] = [];
  const onWorker = (thread: Worker) => threads.push(thread);
  process.on("worker", onWorker);
  let isListed = false;
  const store = {
    list: async function* () {
      await until(() => isListed);
    },
  };
  const keeping = new KeepingElsewhere({ store, onNotice: () => {} });
  const order = { stateDir: tempFolder(), config: {} };
  const first = keeping.indexes(order);
  await until(() => threads.length === 1);
  threads[0]?.emit("error", new Error("out of memory"));
  await expect(first).rejects.toThrow("has ended");
  const second = keeping.indexes(order);
  await threads[0]?.terminate();
  isListed = true;
  await second;
  expect(threads).toHaveLength(2);
  process.off("worker", onWorker);
  await keeping.close();
});
