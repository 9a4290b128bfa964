import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/index.ts";
import { alternate, type BenchRow, microseconds, report, timed } from "../harness.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

function run(args: string[], env: NodeJS.ProcessEnv = {}): void {
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

/** As installed: the built package is packed and unpacked, so that its sources are not there. */
export async function commandStart(folder: string): Promise<BenchRow[]> {
  const installed = join(folder, "installed");
  const steps = `npm run -s build && mkdir -p ${installed} && tar -C ${installed} --strip-components=1 -xzf "$(npm pack --silent --pack-destination ${folder} | sed 's#^#${folder}/#')"`;
  const packed = spawnSync("sh", ["-c", steps], { cwd: root, encoding: "utf8" });
  if (packed.status !== 0) throw new Error(packed.stderr);
  const path = join(folder, "command.db");
  {
    await using store = await openStore(`sqlite:${path}`);
    for (let n = 0; n < 30; n++)
      await (await store.open(`web:${n}`)).append({ role: "user", content: "hello" });
  }
  const env = {
    COLLOQUY_STATE_DIR: join(folder, "state"),
    COLLOQUY_STORE: `sqlite:${path}`,
    NODE_COMPILE_CACHE: join(folder, "cache"),
  };
  const command = join(installed, "bin", "colloquy.js");
  const times = await alternate(
    {
      bare: () => timed(5, () => run(["-e", "0"])),
      ours: () => timed(5, () => run([command, "sessions", "list"], env)),
    },
    9,
  );
  const ratio = times.ours / times.bare;
  return [
    report({
      work: "`colloquy sessions list` against the start of bare Node",
      ours: microseconds(times.ours),
      bare: microseconds(times.bare),
      value: `${ratio.toFixed(2)} ×`,
      reach: "≤ 2.5 ×",
      ok: ratio <= 2.5,
    }),
  ];
}
