/** Opens a page in the browser of the user, where there is one. */
import { spawn } from "node:child_process";

const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
  linux: ["xdg-open"],
};

/** A link that signs in belongs to the person at the terminal, not to a machine that builds or a pipe. */
export function hasBrowser(
  { CI, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  isTerminal: boolean,
): boolean {
  if (CI || SSH_CONNECTION || !isTerminal) return false;
  return platform !== "linux" || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

export function openBrowser(url: string, onProblem: (text: string) => void): void {
  const [program, ...args] = COMMANDS[process.platform] ?? [];
  if (program === undefined || !hasBrowser(process.env, process.platform, process.stdout.isTTY === true))
    return;
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", ({ message }) => onProblem(`Cannot open a browser: ${message}. Open the link yourself`));
  child.unref();
}
