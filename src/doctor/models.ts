/** `models.json` of an agent, which is derived from profiles, config and environment. */
import { statSync } from "node:fs";
import { systemIo } from "../disk/file-io.ts";
import { asColloquyError } from "../errors.ts";
import { type Environment, stateLayout } from "../state/folder.ts";
import { type ComposedModels, composeModels, writeModelsConfig } from "../state/models/index.ts";
import { readPrivate } from "../state/private-file.ts";
import { type JsonObject, parseJson } from "../util/json.ts";
import type { Checkup, DoctorFinding, Fixing } from "./finding.ts";

export interface ModelsToCheck {
  readonly stateDir: string;
  readonly agentId: string;
  readonly providers: readonly string[];
  readonly config: JsonObject;
  readonly env: Environment;
  /** The files it is derived from. */
  readonly sources: readonly string[];
  readonly fixing: Fixing;
}

export async function checkModels(models: ModelsToCheck): Promise<Checkup> {
  const { stateDir, agentId, providers, config, env, fixing } = models;
  const path = stateLayout(stateDir).agent(agentId).models;
  const checked = `Models ${path}`;
  const input = { providers, config, env };
  const composed = compose(input);
  if (!("file" in composed)) return { checked, findings: [composed] };
  const found = difference(path, composed, models);
  if (found === undefined) return { checked, findings: doubts(composed) };
  if (fixing === undefined) return { checked, findings: [found, ...doubts(composed)] };
  await writeModelsConfig({ stateDir, agentId, ...input });
  fixing.push({ code: found.code, what: `${path} was rewritten` });
  return { checked, findings: doubts(composed) };
}

function compose(input: Parameters<typeof composeModels>[0]): ComposedModels | DoctorFinding {
  try {
    return composeModels(input);
  } catch (error) {
    const { message: what } = asColloquyError(error, "Cannot use models in the config");
    const text = "Remove the secret from it and revoke it: others may have the file";
    return { code: "models-config", severity: "error", what, fix: { text } };
  }
}

function doubts({ warnings }: ComposedModels): DoctorFinding[] {
  const fix = { text: "Change models in the config, or add a profile for the provider" };
  return warnings.map((what) => ({ code: "models-config", severity: "note", what, fix }));
}

/** Compared by content: a file that is merely older than its sources may still be right. */
function difference(
  path: string,
  composed: ComposedModels,
  { agentId, sources }: ModelsToCheck,
): DoctorFinding | undefined {
  const command = ["models", "write", ...(agentId === "main" ? [] : ["--agent", agentId])];
  const found = (code: string, severity: "warning" | "note", what: string): DoctorFinding => {
    const fix = { text: "Write it", command };
    return { code, severity, what, fix, fixable: true, details: { path, agentId } };
  };
  const content = readPrivate(systemIo, path);
  if (content === undefined) {
    // A provider that only the environment offers may be offered to this shell alone.
    const wanted = Object.values(composed.sources).some((from) => from.some((one) => one !== "environment"));
    if (!wanted) return undefined;
    return found("no-models", "note", `There is no ${path} yet`);
  }
  if (JSON.stringify(parseJson(content.toString())) === JSON.stringify(composed.file)) return undefined;
  const older = sources.some((source) => modified(source) > modified(path));
  return older
    ? found("old-models", "warning", `${path} is older than the config or the profiles, and differs`)
    : found("old-models", "note", `${path} was written in another environment or by another version`);
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
