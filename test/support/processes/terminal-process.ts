/** A program on a real terminal of its own: `script` makes the pseudo-terminal, and pipes are its keyboard and screen. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { Screen } from "./screen.ts";

const WAIT_MS = 60_000;

interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
}

export class TerminalProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  #columns: number;
  #waiting = new Set<() => void>();
  #isEnded = false;
  /** Everything that was printed. */
  output = "";

  constructor(command: readonly string[], { env = {}, columns = 60 }: TerminalOptions = {}) {
    this.#columns = columns;
    const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    this.#child = spawn(
      "script",
      ["-qefc", `tty; stty cols ${columns} rows 24; exec ${words}`, "/dev/null"],
      {
        env: { ...process.env, TERM: "xterm", NO_COLOR: "", COLUMNS: "", SHELL: "/bin/sh", ...env },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.output += text;
      for (const check of [...this.#waiting]) check();
    });
    this.#ended = new Promise((resolve) =>
      this.#child.once("close", (code) => {
        this.#isEnded = true;
        for (const check of [...this.#waiting]) check();
        resolve(code ?? -1);
      }),
    );
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** What the screen shows, without the line that names the terminal. */
  get screen(): string {
    return new Screen(this.#columns).write(this.output.slice(this.output.indexOf("\n") + 1)).text;
  }

  /** Wait for something on the screen. */
  async shows(what: string | RegExp): Promise<void> {
    const isShown = (): boolean =>
      typeof what === "string" ? this.screen.includes(what) : what.test(this.screen);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => end(new Error(`Not shown: ${what}. The screen:\n${this.screen}`)),
        WAIT_MS,
      );
      const check = (): void => {
        if (isShown()) end();
        else if (this.#isEnded) end(new Error(`Ended without showing ${what}. The screen:\n${this.screen}`));
      };
      const end = (error?: Error): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Give the terminal another width, as a user does with a window. */
  resize(columns: number): void {
    const [path = ""] = /\/dev\/\S+/.exec(this.output) ?? [];
    execFileSync("stty", ["-F", path, "cols", String(columns)]);
    this.#columns = columns;
  }

  /** The exit code. */
  ended(): Promise<number> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.destroy();
    if (!this.#isEnded) this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
