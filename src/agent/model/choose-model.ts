/** Which model answers. Pure: everything it decides by is passed in. */

import { CATALOGUE } from "../../state/models/catalogue.ts";
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
  /** Of the agent that answers, and those that are asked when it fails. */
  readonly agent?: string | undefined;
  readonly fallbacks?: readonly string[] | undefined;
  readonly models: ModelsFile;
}

export interface ChosenModel {
  /** As `provider/model`. */
  readonly name: string;
  /** Who decided. */
  readonly by: "asked" | "session" | "agent" | "default" | "available" | "offline";
  /** The model of the config that has no key. */
  readonly insteadOf?: string;
}

/**
 * The first that is set: what was asked for, the session, the agent, the default of the config, the first model of a
 * provider that can be used, and without any, the offline model. It also answers for a model of the config that has no
 * key: one of another provider would cost money that the config does not mention.
 */
export function chooseModel(choices: ModelChoices): ChosenModel {
  checkObject(choices, "choices");
  checkObject(choices.models, "models");
  const { asked, agent, fallbacks = [], models } = choices;
  if (asked) return { name: named(asked), by: "asked" };
  const session = ofSession(choices);
  if (session !== undefined) return { name: named(session), by: "session" };
  const wanted = agent || models.default;
  if (wanted) {
    const isUsable = [wanted, ...(agent ? fallbacks : [])].some((name) => isAvailable(named(name), models));
    const instead = { name: OFFLINE_NAME, by: "offline", insteadOf: named(wanted) } as const;
    return isUsable ? { name: named(wanted), by: agent ? "agent" : "default" } : instead;
  }
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

/** Whether its provider can be asked here. A name that is wrong is used, so that its error is seen. */
function isAvailable(name: string, { providers }: ModelsFile): boolean {
  const provider = name.slice(0, Math.max(name.indexOf("/"), 0));
  return isOffline(name) || Object.hasOwn(providers, provider) || !CATALOGUE.has(provider);
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
