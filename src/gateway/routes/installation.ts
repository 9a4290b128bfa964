/** Routes about the installation itself: not about conversations, so tokens with a scope have none of them. */
import { OFFLINE_NAME } from "../../agent/model/offline/find-answers.ts";
import { CATALOGUE } from "../../state/models/index.ts";
import { webSetup } from "../chat/web-agent.ts";
import type { GatewayContext } from "../context.ts";
import type { ModelView, StatusView } from "../wire/rest.ts";
import { defineRoute, type Route } from "./route.ts";
import { listOf } from "./schemas.ts";

export const INSTALLATION_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/api/v1/status",
    permission: "read",
    summary: "The store, its size, and the channels",
    answer: { type: "object" },
    handle: async (_, gateway) => ({ json: await statusOf(gateway) }),
  }),
  defineRoute({
    method: "GET",
    path: "/api/v1/models",
    permission: "read",
    scoped: "filters",
    summary: "The models that can answer, and those that lack a key",
    answer: listOf({ type: "object" }),
    handle: async (_, gateway) => ({ json: { items: await modelsOf(gateway), cursor: null } }),
  }),
  defineRoute({
    method: "GET",
    path: "/api/v1/channels",
    permission: "read",
    summary: "The channels that this gateway runs",
    answer: listOf({ type: "object" }),
    handle: (_, gateway) => ({ json: { items: gateway.channels.states(), cursor: null } }),
  }),
];

async function statusOf(gateway: GatewayContext): Promise<StatusView> {
  const { engine, path, conversations, messages, bytes } = await gateway.counts();
  return {
    version: gateway.version,
    engine,
    path,
    conversations,
    messages,
    bytes,
    config: gateway.config.state,
    channels: gateway.channels.states(),
  };
}

async function modelsOf({ agents }: GatewayContext): Promise<ModelView[]> {
  const answering = (await webSetup(agents, "")).modelName("");
  const { providers } = await agents.models();
  const usable = Object.entries(providers);
  const others = [...CATALOGUE].filter(([name]) => !Object.hasOwn(providers, name));
  const views = (isAvailable: boolean, list: typeof usable): ModelView[] =>
    list.flatMap(([provider, { models }]) =>
      models.map(({ id, contextWindow }) => ({
        name: `${provider}/${id}`,
        contextWindow: contextWindow ?? null,
        available: isAvailable,
        answers: `${provider}/${id}` === answering,
      })),
    );
  const offline = {
    name: OFFLINE_NAME,
    contextWindow: null,
    available: true,
    answers: answering === OFFLINE_NAME,
  };
  const all = [...views(true, usable), offline, ...views(false, others)];
  // The config can name a model that no list has.
  if (all.some(({ answers }) => answers)) return all;
  return [{ name: answering, contextWindow: null, available: true, answers: true }, ...all];
}
