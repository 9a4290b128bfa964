/** Long output in the pager of the user, as `git log` shows it. */
import { spawn } from "node:child_process";

const PAGER_DEFAULT = "less";
/** Ends at once if everything fits, keeps colours, leaves the text on the screen. */
const LESS_DEFAULT = "FRX";

/** Resolves when the user leaves the pager. False if there is none, or if it cannot be started. */
export async function showInPager(lines: readonly string[]): Promise<boolean> {
  const command = (process.env.PAGER ?? PAGER_DEFAULT).trim();
  if (command === "" || command === "cat") return false;
  // Only a shell understands quotes; without one, a missing program is known before it reads anything.
  const shell = /["'$`\\|&;<>()]/.test(command);
  const [program = "", ...args] = shell ? [command] : command.split(/\s+/);
  const pager = spawn(program, args, {
    shell,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: LESS_DEFAULT, ...process.env },
  });
  // Ctrl-C belongs to the pager: without this program, it would compete with the shell for the keyboard.
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  try {
    return await new Promise((resolve) => {
      pager.once("error", () => resolve(false));
      pager.once("close", (code) => resolve(!(shell && (code === 126 || code === 127))));
      // The user need not read to the end.
      pager.stdin.on("error", () => {});
      pager.stdin.end(`${lines.join("\n")}\n`);
    });
  } finally {
    process.off("SIGINT", ignore);
  }
}
