import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alternate, type BenchRow, timed } from "../harness.ts";
import { installCommand, runNode } from "../installed-command.ts";
import { atMost } from "../rows.ts";

const CONFIG = `{
  // A small config after a week of use.
  gateway: { port: 18790, bind: "loopback", auth: { mode: "token", token: "\${GATEWAY_TOKEN}" } },
  models: { default: "anthropic/claude-opus-4-6" },
  channels: { telegram: { accounts: { default: { allowFrom: ["+1234567890"] } } } },
}
`;

/** One setting of a small config, read by the packed command, against a Node that does nothing. */
export async function command(folder: string): Promise<BenchRow[]> {
  const path = installCommand(folder);
  const state = join(folder, "command-state");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, "colloquy.json"), CONFIG, { mode: 0o600 });
  const env = {
    COLLOQUY_STATE_DIR: state,
    GATEWAY_TOKEN: "0123456789abcdef",
    NODE_COMPILE_CACHE: join(folder, "cache-state"),
  };
  const get = [path, "config", "get", "gateway.port"];
  if (runNode(get, env).trim() !== "18790") throw new Error("The command printed another value");
  const times = await alternate(
    { bare: () => timed(5, () => runNode(["-e", "0"])), ours: () => timed(5, () => runNode(get, env)) },
    9,
  );
  return [atMost("`colloquy config get` against the start of bare Node", times.ours, times.bare, 2.3)];
}
