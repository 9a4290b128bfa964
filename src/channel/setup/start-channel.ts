/** Starts a channel as the config describes it. Any number of them can run in one process. */
import { chunkSettings, type StreamingConfig } from "../../agent/chunker/index.ts";
import { type AgentLoop, agentFor, defaultAgentId } from "../../agent/index.ts";
import type { ColloquyError } from "../../errors.ts";
import { stateLayout } from "../../state/folder.ts";
import { objectIn } from "../../util/values.ts";
import type { Channel, ChannelMessage } from "../channel.ts";
import { ChannelHost, type Session } from "../host/host.ts";
import type { Agents } from "./agents.ts";
import { lookupIn } from "./channel-settings.ts";
import { type FoundChannel, findChannel } from "./find-channel.ts";

export interface StartOptions {
  /** As in the section `channels` of the config. */
  readonly name: string;
  /** One of its `accounts`. Default: the settings of the channel itself. */
  readonly account?: string | undefined;
  /** Instead of the model of each session. */
  readonly model?: string | undefined;
  /** Also deliver replies that the platform refused before. */
  readonly retry?: boolean | undefined;
  readonly onProblem: (problem: ColloquyError) => void;
}

export interface RunningChannel {
  readonly name: string;
  readonly accountId: string;
  /** What is not answered or delivered by then is taken up by the next start. */
  close(): Promise<void>;
}

/** Resolves when it is connected. Agents must stay open until it is closed. */
export async function startChannel(agents: Agents, options: StartOptions): Promise<RunningChannel> {
  const release = agents.hold();
  try {
    const found = await findChannel(agents, options.name, options.account);
    // One of an extension needs the extension; the others do not keep anything open.
    if (found.isBuiltIn) await release();
    const { name, accountId, close } = await connect(agents, options, found);
    return { name, accountId, close: () => close().finally(release) };
  } catch (error) {
    await release();
    throw error;
  }
}

async function connect(
  agents: Agents,
  { name, model, retry, onProblem }: StartOptions,
  { channel, settings }: FoundChannel,
): Promise<RunningChannel> {
  const { store, config, stateDir } = agents.installation;
  // Who answers can change while the channel runs.
  const mainId = (): string => defaultAgentId(agents.installation.config);
  const loopFor = async ({ key, conversation, agentId = mainId(), approve }: Session): Promise<AgentLoop> => {
    const setup = await agents.at({ channel: name, agentId, lookup: lookupIn(key, settings) });
    return setup.loop({ key, conversation, asked: model, approve });
  };
  const host = new ChannelHost({
    ...{ store, channel, access: settings.access, loopFor, onProblem },
    cuts: chunkSettings(name, (objectIn(config.streaming) ?? {}) as StreamingConfig),
    agentFor: (message) => {
      const { id } = agentFor(placeOf(channel, message), agents.installation.config);
      return id === mainId() ? undefined : id;
    },
    indexOf: (agentId) => ({ agentDir: stateLayout(stateDir).agent(agentId ?? mainId()).root }),
  });
  try {
    await host.start({ retry });
  } catch (error) {
    await host.close();
    throw error;
  }
  return { name, accountId: channel.accountId, close: () => host.close() };
}

function placeOf(
  { name, accountId }: Channel,
  { from, to, groupId, chatType }: ChannelMessage,
): Parameters<typeof agentFor>[0] {
  return { channel: name, accountId, peer: from.id, groupId, to: chatType === "direct" ? undefined : to };
}
