import { spawn } from "node:child_process";
import type { Environment } from "../../folder.ts";

/** Separates the variables from the output of startup files. */
const MARK = "colloquy-environment";
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
/** A daemon started by a startup file may keep the pipe open. Once the shell exits, its output is complete. */
const GRACE_MS = 200;

/** The environment of a login shell, or the reason why there is none. */
export function loginEnvironment(
  shell: string,
  env: Environment,
  timeoutMs: number,
): Promise<ReadonlyMap<string, string> | string> {
  return new Promise((resolve) => {
    // A process group, so that processes of the startup files can be killed with it.
    const child = spawn(shell, ["-l", "-c", `printf '\\0${MARK}\\0'; env -0`], {
      env: env as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (answer: ReadonlyMap<string, string> | string): void => {
      clearTimeout(timer);
      child.stdout.destroy();
      resolve(answer);
    };
    const answered = (): void =>
      finish(parsed(Buffer.concat(chunks)) ?? `The login shell ${shell} did not list its variables`);
    const timer = setTimeout(() => {
      endGroup(child.pid);
      finish(`The login shell ${shell} did not answer within ${seconds(timeoutMs)} and was stopped`);
    }, timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= OUTPUT_BYTES_MAX) chunks.push(chunk);
    });
    child.on("error", ({ code }: NodeJS.ErrnoException) =>
      finish(`The login shell ${shell} cannot be started (${code})`),
    );
    child.on("exit", () => setTimeout(answered, GRACE_MS));
    child.on("close", answered);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just exited.
  }
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}

function parsed(output: Buffer): ReadonlyMap<string, string> | undefined {
  const text = output.toString("utf8");
  const start = text.indexOf(`\0${MARK}\0`);
  if (start === -1) return undefined;
  const records = text.slice(start + MARK.length + 2).split("\0");
  return new Map(
    records.flatMap((record) => {
      const equals = record.indexOf("=");
      return equals < 1 ? [] : [[record.slice(0, equals), record.slice(equals + 1)] as const];
    }),
  );
}
