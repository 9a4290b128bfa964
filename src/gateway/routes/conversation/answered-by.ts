/** Which model would answer in a conversation. */

import { isOffline } from "../../../agent/index.ts";
import type { AgentSetup } from "../../../channel/setup/agent-setup.ts";
import type { ConversationInfo } from "../../../store/index.ts";
import type { GatewayContext } from "../../context.ts";
import type { ConversationDetails } from "../../wire/rest.ts";

const WEB = "web";

export function setupOf(
  { channel }: Pick<ConversationInfo, "channel">,
  { agents }: GatewayContext,
): Promise<AgentSetup> {
  return agents.at({ channel: channel ?? WEB });
}

export async function answeredBy(
  info: Pick<ConversationInfo, "channel" | "key">,
  gateway: GatewayContext,
): Promise<ConversationDetails["answeredBy"]> {
  const model = (await setupOf(info, gateway)).modelName(info.key ?? "");
  return { model, contextWindow: isOffline(model) ? null : await windowOf(model, gateway) };
}

async function windowOf(name: string, { agents }: GatewayContext): Promise<number | null> {
  const slash = name.indexOf("/");
  const { providers } = await agents.models();
  const spec = providers[name.slice(0, slash)]?.models.find(({ id }) => id === name.slice(slash + 1));
  return spec?.contextWindow ?? null;
}
