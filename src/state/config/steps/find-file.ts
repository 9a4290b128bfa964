import { stateLayout } from "../../folder.ts";
import { type Draft, dotEnvOf, patchFolderOf } from "../config-build.ts";
import { closeToOthers } from "../files/read-file.ts";
import { finding } from "../finding.ts";

/** Step 1: which file is the config? `colloquy.json`, or that of an OpenClaw where there is none. */
export async function findFile(draft: Draft): Promise<void> {
  const { config, root } = stateLayout(draft.options.stateDir);
  draft.file = config;
  draft.exists = draft.reads.exists(config);
  if (!draft.exists) {
    // When it appears, what was loaded without it is out of date.
    draft.stamps.set(config, "");
    if (draft.options.adopt !== false) await adopt(draft, root);
  }
  for (const beside of [dotEnvOf(draft), patchFolderOf(draft)]) {
    draft.stamps.set(beside, draft.reads.stamp(beside));
  }
  if (!draft.adopted) closeFolders(draft, root);
}

/** A folder in which no config is may be anything. */
function closeFolders(draft: Draft, root: string): void {
  const patches = patchFolderOf(draft);
  const hasPatches = draft.stamps.get(patches) !== "";
  if (draft.exists || hasPatches || draft.stamps.get(dotEnvOf(draft)) !== "") closeToOthers(draft, root);
  if (!hasPatches) return;
  closeToOthers(draft, patches);
  draft.stamps.set(patches, draft.reads.stamp(patches));
}

async function adopt(draft: Draft, root: string): Promise<void> {
  const { configIn, findAdoptable } = await import("../../adopt.ts");
  const found = configIn(root) ?? findAdoptable(draft.realEnv, draft.home)?.config;
  if (found === undefined) return;
  const message = `This is the config of OpenClaw, and is only read. The first colloquy config set makes ${draft.file} of it`;
  draft.findings.push({ ...finding("info", "adopted", message, []), file: found });
  draft.file = found;
  draft.exists = true;
  draft.adopted = true;
}
