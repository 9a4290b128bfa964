import type { Call } from "../command.ts";

const TICK_MS = 1000;

type Stream = Pick<NodeJS.WriteStream, "isTTY" | "write">;

/** Say what is being done while it is, to a person who waits. What is read by programs stays clean. */
export async function withProgress<T>(
  { json }: Pick<Call, "json">,
  what: string,
  work: () => Promise<T>,
  stream: Stream = process.stderr,
): Promise<T> {
  if (json || !stream.isTTY || process.env.TERM === "dumb") return work();
  const startedMs = Date.now();
  const show = (): void => {
    const seconds = Math.floor((Date.now() - startedMs) / 1000);
    stream.write(`\r\u001b[K${what} …${seconds === 0 ? "" : ` ${seconds} s`}`);
  };
  // At once: an engine may be busy for longer than any timer would wait.
  show();
  const timer = setInterval(show, TICK_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    stream.write("\r\u001b[K");
  }
}
