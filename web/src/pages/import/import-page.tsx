/** Import: what other tools left on this machine, brought in while you watch. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useAction } from "../../state/use-action.ts";
import { useLoad } from "../../state/use-load.ts";
import { Loaded } from "../../ui/list/states.tsx";
import { AdminsOnly } from "../../ui/page/admins-only.tsx";
import { PageFrame } from "../../ui/page/page-frame.tsx";
import { Problem } from "../../ui/problem.tsx";
import { FoundTools } from "./found-tools.tsx";
import { importApi } from "./import-api.ts";
import { JobReport } from "./job-report.tsx";
import "../pages.css";
import "./import.css";

/** How often a running import is looked at. */
const LOOK_MS = 500;

export function ImportPage(): JSX.Element {
  return (
    <AdminsOnly title="Import">
      <Imports />
    </AdminsOnly>
  );
}

function Imports(): JSX.Element {
  const found = useLoad("found", importApi.found);
  const jobs = useLoad("jobs", importApi.jobs);
  const running = jobs.value?.items.some(({ state }) => state === "running") ?? false;
  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(jobs.reload, LOOK_MS);
    return () => clearTimeout(timer);
  }, [jobs.value, jobs.error]);
  const names = new Map(found.value?.items.map(({ format, name }) => [format, name]));
  const start = useAction(async (formats: readonly string[]) => {
    await importApi.start(formats);
    jobs.reload();
  });
  const cancel = useAction(async (id: string) => {
    await importApi.cancel(id);
    jobs.reload();
  });
  return (
    <PageFrame title="Import">
      <p class="lead">
        Conversations of other tools on this machine. Their files are only read, and importing again adds only
        what is new. For files elsewhere, run <code>colloquy import PATH</code> in a terminal.
      </p>
      <Problem error={start.error ?? cancel.error} />
      <Loaded load={found} what="This machine could not be searched">
        {({ items }) => (
          <FoundTools tools={items} onImport={start.run} busy={running || start.running !== null} />
        )}
      </Loaded>
      <Loaded load={jobs} what="Earlier imports could not be read">
        {({ items }) =>
          items.map((job) => (
            <JobReport key={job.id} job={job} names={names} onCancel={() => cancel.run(job.id)} />
          ))
        }
      </Loaded>
    </PageFrame>
  );
}
