import type { JSX } from "preact";
import type { ImportJob } from "../../../../src/gateway/wire/rest.ts";
import { Button } from "../../ui/button.tsx";
import { exactCount } from "../../ui/values/count.tsx";
import { plural } from "../../ui/values/plural.ts";
import { RelativeTime } from "../../ui/values/time.tsx";

const STATES: Readonly<Record<ImportJob["state"], string>> = {
  running: "Importing",
  done: "Imported",
  failed: "Failed",
  cancelled: "Cancelled",
};

export interface JobReportProps {
  readonly job: ImportJob;
  /** What people call the tools, by format. */
  readonly names: ReadonlyMap<string, string>;
  onCancel(): void;
}

/** An import, while it runs and afterwards. */
export function JobReport({ job, names, onCancel }: JobReportProps): JSX.Element {
  const { state, progress, skipped, error, formats } = job;
  return (
    <section class={`job ${state}`}>
      <header class="job-head">
        <h2>{STATES[state]}</h2>
        <span class="quiet grow">
          {formats.map((format) => names.get(format) ?? format).join(", ")} ·{" "}
          <RelativeTime at={job.startedAt} />
        </span>
        {state === "running" && (
          <Button small onClick={onCancel}>
            Cancel
          </Button>
        )}
      </header>
      {state === "running" && (
        <progress aria-label="Files read" max={Math.max(1, progress.filesTotal)} value={progress.files} />
      )}
      <p role="status">
        {state === "running" && progress.filesTotal === 0 ? (
          "Looking for files …"
        ) : (
          <>
            {plural(progress.conversations, "conversation")}, {plural(progress.messages, "message")}
            <span class="quiet">
              {" "}
              from {exactCount(progress.files)} of {plural(progress.filesTotal, "file")}
            </span>
          </>
        )}
      </p>
      {state === "cancelled" && <p class="quiet">What was read is kept. The next import continues.</p>}
      {error !== null && <p class="problem">{error.message}</p>}
      {skipped.length > 0 && (
        <details>
          <summary>{plural(skipped.length, "record")} skipped</summary>
          <ul class="skipped">
            {skipped.map(({ source, line, reason }, index) => (
              <li key={index}>
                <code>{line === null ? source : `${source}:${line}`}</code>
                <span class="quiet">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
