/** `models.json`, which is made from profiles, config and environment. */
import { statSync } from "node:fs";
import { systemIo } from "../disk/file-io.ts";
import { asColloquyError } from "../errors.ts";
import { readPrivate } from "../state/credentials/secret/private-file.ts";
import { type Environment, stateLayout } from "../state/folder.ts";
import { type ComposedModels, composeModels, writeModelsConfig } from "../state/models/index.ts";
import type { JsonObject } from "../util/json.ts";
import type { Checkup, DoctorFinding, Fixing } from "./doctor-checks.ts";
import { nextCommand } from "./invocation.ts";

export interface ModelsVisit {
  readonly stateDir: string;
  readonly agentId: string;
  readonly providers: readonly string[];
  readonly config: JsonObject;
  readonly env: Environment;
  /** Files it is made from. */
  readonly sources: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  readonly fixing: Fixing;
}

export async function checkModels(visit: ModelsVisit): Promise<Checkup> {
  const { stateDir, agentId, providers, config, env, fixing } = visit;
  const path = stateLayout(stateDir).agent(agentId).models;
  const checked = `Models ${path}`;
  const input = { providers, config, env };
  const composed = compose(input);
  if (!("file" in composed)) return { checked, findings: [composed] };
  const found = differs(path, composed, visit);
  if (found === undefined) return { checked, findings: doubts(composed) };
  if (fixing === undefined) return { checked, findings: [found, ...doubts(composed)] };
  await writeModelsConfig({ stateDir, agentId, ...input });
  fixing.push({ code: found.code, what: `${path} is written anew` });
  return { checked, findings: doubts(composed) };
}

function compose(input: Parameters<typeof composeModels>[0]): ComposedModels | DoctorFinding {
  try {
    return composeModels(input);
  } catch (error) {
    const { message } = asColloquyError(error, "models in the config cannot be used");
    const fix = "Take the secret out of it, and make a new one: it was in a file that others may have";
    return { code: "models-config", severity: "error", what: message, fix };
  }
}

function doubts({ warnings }: ComposedModels): DoctorFinding[] {
  const fix = "Change models in the config, or add a profile for the provider";
  return warnings.map((what) => ({ code: "models-config", severity: "note", what, fix }));
}

/** By content: a file that is only older than what it is made from may still be right. */
function differs(path: string, composed: ComposedModels, visit: ModelsVisit): DoctorFinding | undefined {
  const fix = `${nextCommand("models write", visit.values)}${agentOption(visit)}`;
  const content = readPrivate(systemIo, path);
  if (content === undefined) {
    // What only the environment offers may be offered to this shell alone.
    const wanted = Object.values(composed.sources).some((from) => from.some((one) => one !== "environment"));
    if (!wanted) return undefined;
    return { code: "no-models", severity: "note", what: `There is no ${path} yet`, fix };
  }
  if (sameJson(content, composed)) return undefined;
  const older = visit.sources.some((source) => modified(source) > modified(path));
  const why = older
    ? `${path} is older than the config or the profiles, and says something else`
    : `${path} was made in another environment or by another version`;
  return { code: "old-models", severity: older ? "warning" : "note", what: why, fix };
}

function agentOption({ agentId }: ModelsVisit): string {
  return agentId === "main" ? "" : ` --agent ${agentId}`;
}

function sameJson(content: Buffer, { file }: ComposedModels): boolean {
  try {
    return JSON.stringify(JSON.parse(content.toString("utf8"))) === JSON.stringify(file);
  } catch {
    return false;
  }
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
