/** Which model would answer in a conversation. */

import { isOffline } from "../../../agent/index.ts";
import { targetOf } from "../../../agent/model/target.ts";
import type { AgentSetup } from "../../../channel/setup/agent-setup.ts";
import { asColloquyError, invalid } from "../../../errors.ts";
import type { ConversationInfo } from "../../../store/index.ts";
import { modelOf } from "../../chat/model-of.ts";
import { webSetup } from "../../chat/web-agent.ts";
import type { GatewayContext } from "../../context.ts";
import type { ConversationDetails } from "../../wire/rest.ts";

export function setupOf(
  { key }: Pick<ConversationInfo, "key">,
  { agents }: GatewayContext,
): Promise<AgentSetup> {
  return webSetup(agents, key ?? "");
}

export async function answeredBy(
  info: Pick<ConversationInfo, "key" | "model">,
  gateway: GatewayContext,
): Promise<ConversationDetails["answeredBy"]> {
  const model = modelOf(await setupOf(info, gateway), info);
  return { model, contextWindow: isOffline(model) ? null : await windowOf(model, gateway) };
}

/** Refuses a model that nothing here knows. One that lacks a key can be chosen before the key is added. */
export async function checkModel(
  model: string | null | undefined,
  { agents }: GatewayContext,
): Promise<void> {
  if (model === undefined || model === null || isOffline(model)) return;
  try {
    targetOf(model, await agents.models());
  } catch (error) {
    throw invalid(asColloquyError(error, "Unknown model").message, "model");
  }
}

async function windowOf(name: string, { agents }: GatewayContext): Promise<number | null> {
  const slash = name.indexOf("/");
  const { providers } = await agents.models();
  const spec = providers[name.slice(0, slash)]?.models.find(({ id }) => id === name.slice(slash + 1));
  return spec?.contextWindow ?? null;
}
