import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/index.ts";
import { alternate, type BenchRow, timed } from "../harness.ts";
import { installCommand, runNode } from "../installed-command.ts";
import { atMost } from "../rows.ts";

const CONFIG = `{
  // A small config after a week of use.
  gateway: { port: 18790, bind: "loopback" },
  models: { default: "anthropic/claude-opus-4-6" },
  channels: { telegram: { accounts: { default: { allowFrom: ["+1234567890"] } } } },
}
`;

/** `sessions list` of the packed command against a Node that does nothing, without and with a config file. */
export async function commandStart(folder: string): Promise<BenchRow[]> {
  const command = installCommand(folder);
  const path = join(folder, "command.db");
  {
    await using store = await openStore(`sqlite:${path}`);
    for (let n = 0; n < 30; n++)
      await (await store.open(`web:${n}`)).append({ role: "user", content: "hello" });
  }
  const configured = join(folder, "configured");
  mkdirSync(configured, { mode: 0o700 });
  writeFileSync(join(configured, "colloquy.json"), CONFIG, { mode: 0o600 });
  const list = (stateDir: string): Promise<number> =>
    timed(5, () =>
      runNode([command, "sessions", "list"], {
        COLLOQUY_STATE_DIR: stateDir,
        COLLOQUY_STORE: `sqlite:${path}`,
        NODE_COMPILE_CACHE: join(folder, "cache"),
      }),
    );
  const times = await alternate(
    {
      bare: () => timed(5, () => runNode(["-e", "0"])),
      plain: () => list(join(folder, "state")),
      configured: () => list(configured),
    },
    9,
  );
  return [
    atMost("`colloquy sessions list` against the start of bare Node", times.plain, times.bare, 2),
    atMost("the same with a config file", times.configured, times.bare, 2.3),
  ];
}
