import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Command, Report } from "./content.ts";

const WRITER = fileURLToPath(new URL("./writer.ts", import.meta.url));
/** Only a process that hangs takes so long. */
const PATIENCE_MS = 300_000;

/** One writer as its parent sees it. */
export class WriterProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #waiting: { type: Report["type"]; resolve: () => void }[] = [];
  readonly #seen = new Set<Report["type"]>();
  #listener: (report: Report) => void = () => {};
  #rest = "";

  constructor() {
    this.#child = spawn(process.execPath, [WRITER], { stdio: ["pipe", "pipe", "inherit"] });
    this.#closed = once(this.#child, "close");
    // A writer that is killed before it reads its command is not an error.
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Resolves at the first report of a type, also when it came before; false when there will be none. */
  async saw(type: Report["type"], patienceMs: number = PATIENCE_MS): Promise<boolean> {
    if (this.#seen.has(type)) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ type, resolve });
    const timer = setTimeout(resolve, patienceMs);
    await Promise.race([promise, this.#closed]);
    clearTimeout(timer);
    return this.#seen.has(type);
  }

  go(command: Command, listener: (report: Report) => void): void {
    this.#listener = listener;
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  /** Kill it and wait until all that it reported has been read. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }

  /** Let it finish by itself. */
  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#closed;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    // A kill can cut the last report; what was not reported whole does not count.
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const report: Report = JSON.parse(line);
      this.#listener(report);
      this.#seen.add(report.type);
      for (const { type, resolve } of this.#waiting) if (type === report.type) resolve();
    }
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
