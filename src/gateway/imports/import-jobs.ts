/** Imports in the background, one at a time. Only from the usual places: a request never names a path. */
import { homedir } from "node:os";
import type { Installation } from "../../channel/setup/installation.ts";
import { asColloquyError, ColloquyError } from "../../errors.ts";
import { type FoundTool, foundTools } from "../../formats/import/found-tools.ts";
import type { ImportReport } from "../../formats/import/report.ts";
import { importConversations } from "../../formats/import/run.ts";
import { isoTime, systemClock } from "../../util/time.ts";
import { systemRandom, uuidv7 } from "../../util/uuid.ts";
import type { ImportJob } from "../wire/rest.ts";

const KEPT_MAX = 50;
const SKIPPED_MAX = 1000;

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class ImportJobs {
  readonly #installation: Installation;
  readonly #jobs = new Map<string, ImportJob>();
  #running: (Running & { readonly id: string }) | undefined;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  found(signal?: AbortSignal): Promise<FoundTool[]> {
    const { env } = this.#installation;
    return foundTools(env.HOME ?? homedir(), env, signal);
  }

  /** Newest first. */
  list(): ImportJob[] {
    return [...this.#jobs.values()].reverse();
  }

  read(id: string): ImportJob {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new ColloquyError("NOT_FOUND", `There is no import ${id}`);
    return job;
  }

  /** `CONFLICT` while another one runs. */
  async start(wanted: readonly string[] | undefined): Promise<ImportJob> {
    const tools = (await this.found()).filter(
      ({ format }) => wanted === undefined || wanted.includes(format),
    );
    if (tools.length === 0) {
      throw new ColloquyError("NOT_FOUND", "Nothing of that was found on this machine", { field: "formats" });
    }
    if (this.#running !== undefined) throw new ColloquyError("CONFLICT", "Another import is running");
    const now = systemClock();
    const id = uuidv7(now, systemRandom);
    const formats = [...new Set(tools.map(({ format }) => format))];
    const progress = { files: 0, filesTotal: 0, conversations: 0, messages: 0 };
    this.#keep({
      id,
      formats,
      progress,
      state: "running",
      startedAt: isoTime(now),
      endedAt: null,
      skipped: [],
      error: null,
    });
    const stop = new AbortController();
    const paths = tools.map(({ path }) => path);
    this.#running = { id, stop, ended: this.#run(id, paths, stop.signal) };
    return this.read(id);
  }

  /** What was imported stays; the next import continues. */
  async cancel(id: string): Promise<ImportJob> {
    this.read(id);
    if (this.#running?.id === id) {
      this.#running.stop.abort();
      await this.#running.ended;
    }
    return this.read(id);
  }

  async close(): Promise<void> {
    this.#running?.stop.abort();
    await this.#running?.ended;
  }

  async #run(id: string, paths: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      const report = await importConversations(this.#installation.store, paths, {
        signal,
        onProgress: ({ files, filesTotal, conversations, messages }) => {
          this.#change(id, { progress: { files, filesTotal, conversations, messages } });
        },
      });
      this.#change(id, { state: report.interrupted ? "cancelled" : "done", ...resultOf(report) });
    } catch (error) {
      this.#change(id, { state: "failed", error: asColloquyError(error, "The import failed").toJSON() });
    } finally {
      this.#change(id, { endedAt: isoTime(systemClock()) });
      this.#running = undefined;
    }
  }

  #change(id: string, patch: Partial<ImportJob>): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) this.#jobs.set(id, { ...job, ...patch });
  }

  #keep(job: ImportJob): void {
    this.#jobs.set(job.id, job);
    if (this.#jobs.size > KEPT_MAX) this.#jobs.delete(this.#jobs.keys().next().value ?? "");
  }
}

function resultOf(report: ImportReport): Pick<ImportJob, "progress" | "skipped"> {
  const { files, unchanged, conversations, messages, skipped } = report;
  return {
    progress: { files: files + unchanged, filesTotal: files + unchanged, conversations, messages },
    skipped: skipped.slice(0, SKIPPED_MAX).map(({ source, line, reason }) => ({ source, line, reason })),
  };
}
