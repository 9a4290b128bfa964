/** Runs the real command as a child process, in a private state folder. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";

/** The command as a package has it: bundled, because loading the sources takes three times as long. */
export const BIN: string = inject("command");

/** The JSON output of the command. The tests check its shape. */
export type Printed = ReturnType<typeof JSON.parse>;

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Another file that starts the command. */
  readonly bin?: string;
  /** The user that runs it. */
  readonly uid?: number | undefined;
}

/** A folder with a state folder in it, removed at the end. */
export class Place {
  readonly folder: string = mkdtempSync(join(tmpdir(), "colloquy-cli-"));
  readonly state: string = join(this.folder, "state");

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  run(args: readonly string[], { input, env, uid, bin = BIN }: RunOptions = {}): Promise<Result> {
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [bin, ...args],
        {
          cwd: this.folder,
          ...(uid === undefined ? {} : { uid }),
          env: {
            ...process.env,
            COLLOQUY_STATE_DIR: this.state,
            COLUMNS: "",
            NO_COLOR: "1",
            ...env,
          },
          maxBuffer: 64 * 1024 * 1024,
          timeout: 120_000,
        },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
          resolve({ code, stdout, stderr });
        },
      );
      // A command that ends without reading closes the pipe; that does not fail the test.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input ?? "");
    });
  }

  /** Run with `--json` and return its output. Fails the test when the command failed. */
  async json(args: readonly string[], options?: RunOptions): Promise<Printed> {
    const { code, stdout, stderr } = await this.run([...args, "--json"], options);
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** Run with `--json` and return the exit code and the error. */
  async failure(args: readonly string[], options?: RunOptions): Promise<{ code: number; error: Printed }> {
    const { code, stdout, stderr } = await this.run([...args, "--json"], options);
    if (code === 0) throw new Error(`did not fail: ${stdout}`);
    return { code, error: JSON.parse(stderr).error };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const INFO_MEMBERS: readonly string[] = [
  "id",
  "key",
  "title",
  "channel",
  "model",
  "messageCount",
  "branchCount",
  "createdAt",
  "updatedAt",
  "lastMessageAt",
];
