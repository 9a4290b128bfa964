import { adoptedConfig } from "../../adopt.ts";
import { stateLayout } from "../../folder.ts";
import { type ConfigBuild, dotEnvOf, patchFolderOf } from "../config-build.ts";
import { closeToOthers } from "../files/read-file.ts";
import { finding } from "../finding.ts";

/** Step 1: find the file. `colloquy.json`, or the config of an OpenClaw where there is none. */
export function findFile(build: ConfigBuild): void {
  const { config, root } = stateLayout(build.options.stateDir);
  build.file = config;
  build.exists = build.reads.exists(config);
  if (!build.exists) {
    // When the file appears, a config that was loaded without it is out of date.
    build.stamps.set(config, "");
    // Patches alone are a config, too.
    const hasPatches = build.reads.exists(patchFolderOf(build));
    if (build.options.adopt !== false && !hasPatches) adopt(build, root);
  }
  for (const beside of [dotEnvOf(build), patchFolderOf(build)]) {
    build.stamps.set(beside, build.reads.stamp(beside));
  }
  if (!build.adopted) closeFolders(build, root);
}

/** Without a config the folder may belong to anything. */
function closeFolders(build: ConfigBuild, root: string): void {
  const patches = patchFolderOf(build);
  const hasPatches = build.stamps.get(patches) !== "";
  if (build.exists || hasPatches || build.stamps.get(dotEnvOf(build)) !== "") closeToOthers(build, root);
  if (!hasPatches) return;
  closeToOthers(build, patches);
  build.stamps.set(patches, build.reads.stamp(patches));
}

function adopt(build: ConfigBuild, root: string): void {
  const found = adoptedConfig(root, build.realEnv, build.home);
  if (found === undefined) return;
  const message = `This config of OpenClaw is only read. The first "colloquy config set" copies it to ${build.file}`;
  build.findings.push({ ...finding("info", "adopted", message, []), file: found });
  build.file = found;
  build.exists = true;
  build.adopted = true;
}
