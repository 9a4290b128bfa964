/**
 * A process that uses the credentials of an agent as its
 * arguments say, and prints the result as JSON.
 *
 * The provider is a folder: every refresh is a file in it, named by the token
 * that was spent, which can be made only once.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openCredentials, type Refresher } from "../../src/state/credentials/index.ts";

const [stateDir = "", what = "", folder = ""] = process.argv.slice(2);
const credentials = openCredentials({ stateDir, env: {}, platform: "none" });

const refresher: Refresher = async ({ refreshToken, interrupted }) => {
  if (what === "die") process.kill(process.pid, "SIGKILL");
  writeFileSync(join(folder, refreshToken), String(interrupted), { flag: "wx" });
  await sleep(150);
  return {
    accessToken: `access-after-${refreshToken}`,
    refreshToken: `${refreshToken}+`,
    expiresAt: Date.now() + 3_600_000,
  };
};

if (what === "add") {
  for (let count = 0; count < 25; count++)
    await credentials.add({ provider: "x", name: `${folder}-${count}`, secret: { env: "X" } });
} else {
  process.stdout.write("ready\n");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  const { value } = await credentials.resolve("x:default", { refresher });
  process.stdout.write(`${value}\n`);
}
process.exit(0);
