import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alternate, type BenchRow, timed } from "../harness.ts";
import { atMost } from "../life/rows.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const CONFIG = `{
  // As a person has it after a week.
  gateway: { port: 18790, bind: "loopback", auth: { mode: "token", token: "\${GATEWAY_TOKEN}" } },
  models: { default: "anthropic/claude-opus-4-6" },
  channels: { telegram: { accounts: { default: { allowFrom: ["+1234567890"] } } } },
}
`;

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** As installed: the built package is packed and unpacked, so that its sources are not there. */
function install(folder: string): string {
  const installed = join(folder, "installed-state");
  const steps = `npm run -s build && mkdir -p ${installed} && tar -C ${installed} --strip-components=1 -xzf "$(npm pack --silent --pack-destination ${folder} | sed 's#^#${folder}/#')"`;
  const packed = spawnSync("sh", ["-c", steps], { cwd: root, encoding: "utf8" });
  if (packed.status !== 0) throw new Error(packed.stderr);
  return join(installed, "bin", "colloquy.js");
}

/** One setting of a small config, against a Node that does nothing. */
export async function command(folder: string): Promise<BenchRow[]> {
  const path = install(folder);
  const state = join(folder, "command-state");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, "colloquy.json"), CONFIG, { mode: 0o600 });
  const env = {
    COLLOQUY_STATE_DIR: state,
    GATEWAY_TOKEN: "0123456789abcdef",
    NODE_COMPILE_CACHE: join(folder, "cache-state"),
  };
  const get = [path, "config", "get", "gateway.port"];
  if (run(get, env).trim() !== "18790") throw new Error("It gave another value");
  const times = await alternate(
    { bare: () => timed(5, () => run(["-e", "0"])), ours: () => timed(5, () => run(get, env)) },
    9,
  );
  return [atMost("`colloquy config get` against the start of bare Node", times.ours, times.bare, 2.5)];
}
