/** Runs a channel until it is stopped. */
import { once } from "node:events";
import { chunkSettings, type StreamingConfig } from "../../../agent/chunker/index.ts";
import { AgentLoop, agentFor, defaultAgentId } from "../../../agent/index.ts";
import { type Channel, ChannelHost, type ChannelMessage, type Session } from "../../../channel/index.ts";
import { stateLayout } from "../../../state/folder.ts";
import type { Store } from "../../../store/store.ts";
import type { JsonObject } from "../../../util/json.ts";
import { objectIn } from "../../../util/values.ts";
import type { Call, Result } from "../../command.ts";
import { showResult } from "../../show-result.ts";
import { openToAppend } from "../../store/open-store.ts";
import { stopOnInterrupt } from "../../terminal/interrupt.ts";
import { access, warn } from "../auth/access.ts";
import { type AgentSetup, openSetup } from "../chat/agent-setup.ts";
import { type ChannelSettings, channelSettings, lookupIn } from "./channel-settings.ts";

const SECTIONS = ["env", "channels", "streaming", "agents", "bindings"];

export async function runChannel(
  call: Call,
  name: string,
  make: (settings: ChannelSettings) => Channel,
): Promise<Result> {
  const { config, env, stateDir } = await access(call, "values", SECTIONS);
  const values = config as JsonObject;
  const settings = channelSettings(name, values, env, call.values.get("account"));
  await using store = await openToAppend(call);
  await using setups = new Setups(call, store, name, settings);
  const channel = make(settings);
  const mainId = defaultAgentId(values);
  const host = new ChannelHost({
    store,
    channel,
    access: settings.access,
    cuts: chunkSettings(name, (objectIn(values.streaming) ?? {}) as StreamingConfig),
    agentFor: (message) => {
      const { id } = agentFor(placeOf(channel, message), values);
      return id === mainId ? undefined : id;
    },
    indexOf: (agentId) => ({ agentDir: stateLayout(stateDir).agent(agentId ?? mainId).root }),
    loopFor: (session) => setups.loopFor(session, session.agentId ?? mainId),
    onProblem: ({ message }) => warn(call, message),
  });
  const interrupt = stopOnInterrupt();
  try {
    await host.start({ retry: call.flags.has("retry") });
    const line = `Connected to ${name}. Stop with Ctrl-C.`;
    showResult(call, {
      json: { channel: name, account: channel.accountId, pid: process.pid },
      lines: [line],
    });
    if (!interrupt.signal.aborted) await once(interrupt.signal, "abort");
  } finally {
    interrupt.end();
    await host.close();
  }
  return { json: null };
}

function placeOf(
  { name, accountId }: Channel,
  { from, to, groupId, chatType }: ChannelMessage,
): Parameters<typeof agentFor>[0] {
  return { channel: name, accountId, peer: from.id, groupId, to: chatType === "direct" ? undefined : to };
}

/** What the config says of each agent, read when it is first needed. */
class Setups implements AsyncDisposable {
  readonly #call: Call;
  readonly #store: Store;
  readonly #channel: string;
  readonly #settings: ChannelSettings;
  readonly #setups = new Map<string, Promise<AgentSetup>>();

  constructor(call: Call, store: Store, channel: string, settings: ChannelSettings) {
    this.#call = call;
    this.#store = store;
    this.#channel = channel;
    this.#settings = settings;
  }

  async loopFor({ key, conversation }: Session, agentId: string): Promise<AgentLoop> {
    const lookup = lookupIn(key, this.#settings);
    const name = `${agentId} ${lookup}`;
    const opened =
      this.#setups.get(name) ?? openSetup(this.#call, this.#store, this.#channel, agentId, lookup);
    this.#setups.set(name, opened);
    // One that failed may be tried again.
    opened.catch(() => this.#setups.delete(name));
    const setup = await opened;
    const model = await setup.model(setup.modelName(key), key);
    return new AgentLoop({
      ...{ store: this.#store, conversation, model, tools: await setup.tools(model, undefined) },
      ...{ system: setup.system, thinking: setup.thinking(key) },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const setup of this.#setups.values()) await (await setup.catch(() => undefined))?.close();
  }
}
