import { fileURLToPath } from "node:url";
import { LineProcess } from "../support/processes/line-process.ts";
import type { Command, Report } from "./content.ts";

const WRITER = fileURLToPath(new URL("./writer.ts", import.meta.url));
/** Only a process that hangs takes so long. */
const PATIENCE_MS = 300_000;

/** One writer as its parent sees it. */
export class WriterProcess {
  readonly #child: LineProcess;
  readonly #waiting: { type: Report["type"]; resolve: () => void }[] = [];
  readonly #seen = new Set<Report["type"]>();
  #listener: (report: Report) => void = () => {};

  constructor() {
    this.#child = new LineProcess(WRITER, [], { onLine: (line) => this.#read(line) });
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Resolves at the first report of a type, also when it came before; false when there will be none. */
  async saw(type: Report["type"], patienceMs: number = PATIENCE_MS): Promise<boolean> {
    if (this.#seen.has(type)) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ type, resolve });
    const timer = setTimeout(resolve, patienceMs);
    await Promise.race([promise, this.#child.closed]);
    clearTimeout(timer);
    return this.#seen.has(type);
  }

  go(command: Command, listener: (report: Report) => void): void {
    this.#listener = listener;
    this.#child.write(JSON.stringify(command));
  }

  /** Kill it and wait until all that it reported has been read. */
  kill(): Promise<void> {
    return this.#child.kill();
  }

  /** Let it finish by itself. */
  end(): Promise<void> {
    return this.#child.end();
  }

  #read(line: string): void {
    const report: Report = JSON.parse(line);
    this.#listener(report);
    this.#seen.add(report.type);
    for (const { type, resolve } of this.#waiting) if (type === report.type) resolve();
  }
}

/** Some writers that have started already: starting takes longer than a round. */
export class WarmWriters {
  readonly #size: number;
  readonly #warm: WriterProcess[] = [];

  constructor(size: number) {
    this.#size = size;
    this.#fill();
  }

  async take(): Promise<WriterProcess> {
    this.#fill();
    const writer = this.#warm.shift() as WriterProcess;
    this.#fill();
    if (!(await writer.saw("ready"))) throw new Error("A writer process did not start");
    return writer;
  }

  async close(): Promise<void> {
    await Promise.all(this.#warm.splice(0).map((writer) => writer.kill()));
  }

  #fill(): void {
    while (this.#warm.length < this.#size) this.#warm.push(new WriterProcess());
  }
}
