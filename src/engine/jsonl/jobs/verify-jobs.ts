import type { FindingList } from "../../findings.ts";
import type { Finding } from "../../queries.ts";
import type { JsonlContext } from "../jsonl-context.ts";

/** Damaged lines of the file of jobs, and jobs of conversations that do not exist. */
export function jobFindings({ jobs, catalogue }: JsonlContext): Finding[] {
  const source = jobs.path;
  const damaged = jobs.unreadable().map((line) => ({
    code: "bad-job",
    conversation: null,
    source,
    line,
    message: "a job does not match its checksum, or is missing",
  }));
  const orphans = jobs.page({ limit: Number.POSITIVE_INFINITY }).flatMap(({ queue, id, conversation }) => {
    if (conversation === null || catalogue.peek(conversation) !== undefined) return [];
    const message = `job ${id} of ${queue} does not belong to a conversation`;
    return [{ code: "orphan-job", conversation, source, line: null, message }];
  });
  return [...damaged, ...orphans];
}

/** Damaged jobs are moved to a separate file. */
export function repairJobs(context: JsonlContext, done: FindingList): void {
  const findings = jobFindings(context);
  if (findings.length === 0) return;
  const { jobs, catalogue } = context;
  const aside = jobs.rewrite(
    ({ conversation }) => conversation === null || catalogue.peek(conversation) !== undefined,
  );
  for (const finding of findings) {
    const outcome = finding.code === "bad-job" ? `set aside as ${aside}` : "removed";
    done.add({ ...finding, message: `${finding.message}; ${outcome}` });
  }
}
