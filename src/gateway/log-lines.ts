/** Lines on their way to a log file. A disk that does not answer makes them wait, not the gateway. */
import type { LogFile } from "../state/log-file.ts";

/** What waits for a stalled disk. The lines after that are lost. */
const WAITING_CHARS_MAX = 4_000_000;

/** Of this process: they are written before it ends, whatever ends it. */
const open = new Set<LogLines>();

export class LogLines {
  readonly #file: LogFile;
  readonly #waiting: string[] = [];
  #chars = 0;
  #writing: Promise<void> | undefined;

  constructor(file: LogFile) {
    this.#file = file;
    if (open.size === 0) process.on("exit", writeAll);
    open.add(this);
  }

  add(line: string): void {
    if (this.#chars + line.length > WAITING_CHARS_MAX) return;
    this.#waiting.push(line);
    this.#chars += line.length;
    this.#writing ??= this.#write();
  }

  /** Waits for the disk. */
  writeNow(): void {
    for (const line of this.#taken(this.#waiting.length)) this.#file.write(line);
  }

  /** Resolves when every line is written. */
  async close(): Promise<void> {
    await this.#writing;
    open.delete(this);
    if (open.size === 0) process.off("exit", writeAll);
  }

  async #write(): Promise<void> {
    // Lines that come while others are written are written together.
    while (this.#waiting.length > 0) {
      const lines = this.#taken(this.#file.fitting(this.#waiting));
      await this.#file.add(lines.join(""));
    }
    this.#writing = undefined;
  }

  #taken(count: number): readonly string[] {
    const lines = this.#waiting.splice(0, count);
    this.#chars = this.#waiting.reduce((sum, { length }) => sum + length, 0);
    return lines;
  }
}

function writeAll(): void {
  for (const lines of open) lines.writeNow();
}
