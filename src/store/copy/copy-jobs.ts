import type { QueuedJob } from "../../engine/index.ts";
import type { StoreAccess } from "../access.ts";

const PAGE = 200;

/** What is still to be done in the source. Jobs of conversations that were not copied stay behind; none is overwritten. */
export async function copyJobs(from: StoreAccess, to: StoreAccess): Promise<void> {
  for (let last: QueuedJob | undefined; ; ) {
    const page = await from.ask((engine) => engine.jobs({ after: last, limit: PAGE }));
    const put = await to.ask(async (engine) => {
      const isNew = async ({ queue, id, conversation }: QueuedJob): Promise<boolean> =>
        (conversation === null || (await engine.byId(conversation)) !== undefined) &&
        (await engine.jobs({ queue, id, limit: 1 })).length === 0;
      const checks = await Promise.all(page.map(isNew));
      return page.filter((_, index) => checks[index]).map(({ n: _, ...job }) => job);
    });
    if (put.length > 0) await to.queue.push({ type: "jobs", put, remove: [], expect: [] });
    last = page.at(-1);
    if (page.length < PAGE) return;
  }
}
