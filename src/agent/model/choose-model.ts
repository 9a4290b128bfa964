/** Which model answers. Pure: everything it decides by is passed in. */

import type { ModelsFile } from "../../state/models/types.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import { OFFLINE_NAME } from "./offline/find-answers.ts";
import { isApi } from "./target.ts";

export interface ModelChoices {
  /** What the user asked for just now, such as `--model`. */
  readonly asked?: string | undefined;
  /** The override of the session: a whole name, or a model of `providerOverride`. */
  readonly modelOverride?: string | undefined;
  readonly providerOverride?: string | undefined;
  /** Of the agent that answers. */
  readonly agent?: string | undefined;
  readonly models: ModelsFile;
}

export interface ChosenModel {
  /** As `provider/model`. */
  readonly name: string;
  /** Who decided. */
  readonly by: "asked" | "session" | "agent" | "default" | "available" | "offline";
}

/**
 * The first that is set: what was asked for, the session, the agent, the default of the config, the first model of a
 * provider that can be used, and without any, the offline model.
 */
export function chooseModel(choices: ModelChoices): ChosenModel {
  checkObject(choices, "choices");
  checkObject(choices.models, "models");
  const { asked, agent, models } = choices;
  if (asked) return { name: named(asked), by: "asked" };
  const session = ofSession(choices);
  if (session !== undefined) return { name: named(session), by: "session" };
  if (agent) return { name: named(agent), by: "agent" };
  if (models.default) return { name: named(models.default), by: "default" };
  const available = firstAvailable(models);
  return available === undefined
    ? { name: OFFLINE_NAME, by: "offline" }
    : { name: available, by: "available" };
}

/** `offline` is short for the only model of its provider. */
function named(name: string): string {
  return name === "offline" ? OFFLINE_NAME : name;
}

export function isOffline(name: string): boolean {
  return named(name) === OFFLINE_NAME;
}

function ofSession({ modelOverride, providerOverride, models }: ModelChoices): string | undefined {
  if (!modelOverride) {
    const [first] = providerOverride ? (models.providers[providerOverride]?.models ?? []) : [];
    return first && `${providerOverride}/${first.id}`;
  }
  const isWhole = !providerOverride || modelOverride.startsWith(`${providerOverride}/`);
  return isWhole ? modelOverride : `${providerOverride}/${modelOverride}`;
}

/** For a user who has a key and has chosen nothing: good, and not the most expensive. */
const USUAL: Readonly<Record<string, string>> = {
  anthropic: "claude-opus-5-5",
  openai: "gpt-6.1-sol",
  google: "gemini-3.8-flash",
};

/** Providers are in the order of the catalogue; from one without a list of models none can be chosen. */
function firstAvailable({ providers }: ModelsFile): string | undefined {
  for (const [provider, { api, models }] of Object.entries(providers)) {
    const usual = models.find(({ id }) => id === USUAL[provider]) ?? models[0];
    if (isApi(api) && usual !== undefined) return `${provider}/${usual.id}`;
  }
  return undefined;
}
