/**
 * Lets a tool write session files. Usage: node test/real/run.ts TOOL FOLDER-OF-TOOLS FOLDER-TO-WRITE [VERSION]
 *
 * With VERSION, the program is in the folder TOOL-VERSION, and what it writes goes into a folder of that name.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [tool = "", tools = "", written = "", version = "", inside] = process.argv.slice(2);
const here = import.meta.dirname;
const name = version === "" ? tool : `${tool}-${version}`;

if (inside === undefined) {
  const home = join(written, name);
  mkdirSync(join(home, "project"), { recursive: true });
  const self = [
    process.execPath,
    import.meta.filename,
    tool,
    realpathSync(tools),
    "/home/user",
    version,
    "inside",
  ];
  const { status } = spawnSync(join(here, "sandbox.sh"), [home, ...self], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else {
  spawn(process.execPath, [join(here, "model/server.ts"), "8901"], { stdio: "inherit" });
  await sleep(2000);
  process.chdir("/home/user/project");
  const { drive } = await import(join(here, "tools", `${tool}.ts`));
  await drive(join(tools, name, "node_modules/.bin"), tools, version);
  // The sandbox ends with this process, and the model with the sandbox.
  process.exit();
}
