import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

interface LineOptions extends Pick<SpawnOptions, "cwd" | "env" | "uid"> {
  /** Called for each line that is complete. */
  readonly onLine?: (line: string) => void;
  /** A command, with its arguments, that starts the script. */
  readonly through?: readonly string[];
}

/** One of our own scripts in a process, which reports in lines. A kill can cut the last line; it does not count. */
export class LineProcess {
  readonly lines: string[] = [];
  /** All output has been read by then. */
  readonly closed: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly #child: ChildProcess;
  readonly #onLine: (line: string) => void;
  #rest = "";

  constructor(script: string, args: readonly string[] = [], options: LineOptions = {}) {
    const { onLine = () => {}, through = [], ...rest } = options;
    const [command = process.execPath, ...values] = [...through, process.execPath, script, ...args];
    this.#onLine = onLine;
    this.#child = spawn(command, values, { stdio: ["pipe", "pipe", "inherit"], ...rest });
    this.closed = once(this.#child, "close").then(([code, signal]) => ({ code, signal }));
    // A process that is killed before it reads is not an error.
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Let it finish by itself. */
  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.closed;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.closed;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.lines.push(line);
      this.#onLine(line);
    }
  }
}
