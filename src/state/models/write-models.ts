import { type FileIo, systemIo } from "../../disk/file-io.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import { systemRandom } from "../../util/uuid.ts";
import { stateLayout } from "../folder.ts";
import { keepPrivate, readPrivate, writePrivate } from "../private-file.ts";
import { composeModels } from "./compose.ts";
import type { ComposedModels, ModelsInput } from "./types.ts";

export interface WriteModelsOptions extends ModelsInput {
  readonly stateDir: string;
  /** Default `main`. */
  readonly agentId?: string;
  readonly io?: FileIo;
  readonly onNotice?: (text: string) => void;
}

export interface WrittenModels extends ComposedModels {
  readonly path: string;
  /** False when the file had this content already. */
  readonly changed: boolean;
}

/**
 * Write `agents/<id>/models.json`.
 *
 * The file is derived, so it is replaced as a whole and needs no lock. Equal
 * content is not written again, so that programs that watch the file are not
 * notified. It contains no secrets.
 */
export async function writeModelsConfig(options: WriteModelsOptions): Promise<WrittenModels> {
  checkObject(options, "options");
  const { stateDir, io = systemIo, onNotice = () => {} } = options;
  const path = stateLayout(stateDir).agent(options.agentId ?? "main").models;
  const composed = composeModels({ env: process.env, ...options });
  const text = modelsText(composed);
  const changed = readPrivate(io, path)?.equals(Buffer.from(text)) !== true;
  if (changed) writePrivate(io, systemRandom, path, text);
  else keepPrivate(path, onNotice);
  return { ...composed, path, changed };
}

function modelsText({ file }: ComposedModels): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}
