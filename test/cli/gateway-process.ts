/** `colloquy gateway run` as a child process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export interface StartedGateway {
  readonly url: string;
  readonly signIn: string;
  readonly pid: number;
  readonly store: string;
}

export interface GatewayProcess {
  readonly child: ChildProcess;
  readonly started: Promise<StartedGateway>;
  readonly ended: Promise<{ readonly code: number; readonly errors: string }>;
}

export function startGateway(stateDir: string, ...words: string[]): GatewayProcess {
  const args = ["gateway", "run", "--json", "--no-page", "--port", "0", "--state-dir", stateDir];
  const child = spawn(process.execPath, ["bin/colloquy.js", ...args, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let errors = "";
  child.stderr.on("data", (text) => {
    errors += text;
  });
  const lines = createInterface({ input: child.stdout });
  return {
    child,
    started: once(lines, "line").then(([line]) => JSON.parse(line) as StartedGateway),
    ended: once(child, "close").then(([code]) => ({ code, errors })),
  };
}

/** The access token that a sign-in link is worth. */
export async function signIn({ url, signIn }: Pick<StartedGateway, "url" | "signIn">): Promise<string> {
  const response = await fetch(`${url}/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: new URL(signIn).hash.slice("#sign-in=".length) }),
  });
  return ((await response.json()) as { accessToken: string }).accessToken;
}
