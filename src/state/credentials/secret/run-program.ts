/** Run a program without a shell: a list of arguments, a time limit, bounded output. */
import { spawn } from "node:child_process";

export interface ProgramOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Passed through a pipe: every user of the machine can read command lines. */
  readonly input?: string;
}

/** Reasons never quote the output: it may be the secret, or part of it. */
export type ProgramResult =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly reason: string };

const OUTPUT_BYTES_MAX = 64 * 1024;
/** A child that outlives the program may keep the pipe open. By then the output of the program has arrived. */
const GRACE_MS = 200;

export function runProgram(argv: readonly string[], options: ProgramOptions): Promise<ProgramResult> {
  const [program = "", ...args] = argv;
  const { promise, resolve } = Promise.withResolvers<ProgramResult>();
  // In our group and session, so that a password manager can still ask on the terminal.
  const child = spawn(program, args, {
    env: options.env as NodeJS.ProcessEnv,
    stdio: ["pipe", "pipe", "ignore"],
    shell: false,
    windowsHide: true,
  });
  let grace: NodeJS.Timeout | undefined;
  let settled = false;
  const end = (result: ProgramResult): void => {
    settled = true;
    clearTimeout(timer);
    clearTimeout(grace);
    // Children of the program may keep the pipe open. Do not wait for them.
    child.stdout.destroy();
    child.stdin.destroy();
    child.unref();
    resolve(result);
  };
  const stop = (reason: string): void => {
    child.kill("SIGKILL");
    end({ ok: false, reason });
  };
  const seconds = options.timeoutMs / 1000;
  const timer = setTimeout(() => stop(`did not answer within ${seconds} s`), options.timeoutMs);
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > OUTPUT_BYTES_MAX) stop(`printed more than ${OUTPUT_BYTES_MAX} bytes`);
    else chunks.push(chunk);
  });
  child.on("error", (error: NodeJS.ErrnoException) => end({ ok: false, reason: startFailure(error) }));
  const ended = (code: number | null, signal: string | null): void => {
    if (code === 0) end({ ok: true, output: Buffer.concat(chunks).toString("utf8") });
    else end({ ok: false, reason: code === null ? `was killed by ${signal}` : `exited with code ${code}` });
  };
  child.on("exit", (code, signal) => {
    clearTimeout(timer);
    if (!settled) grace = setTimeout(ended, GRACE_MS, code, signal);
  });
  child.on("close", ended);
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  return promise;
}

function startFailure({ code }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "is not installed, or not in PATH";
  if (code === "EACCES") return "cannot be started: permission denied";
  return `could not be started (${code ?? "unknown"})`;
}
