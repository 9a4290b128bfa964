/** What the session index keeps of a session: where it came from, where answers go, and its settings. */
import type { ThinkingLevel } from "../../agent/index.ts";
import { recordSession } from "../../agent/loop/record-session.ts";
import { THINKING_LEVELS } from "../../agent/model/chat-model.ts";
import {
  type IndexOptions,
  loadSessionStore,
  patchSessionEntry,
  type SessionEntry,
} from "../../state/session-index/index.ts";
import type { Conversation } from "../../store/conversation.ts";
import { defined } from "../../util/json.ts";
import { timeOf } from "../../util/time.ts";
import type { ChannelMessage } from "../channel.ts";
import { addressOf, type ChannelName } from "../inbox/accept.ts";

/** Settings of one session, which win over those of its agent. */
export interface SessionSettings {
  /** As `provider/model`. */
  readonly model?: string;
  /** The profile whose key is used. */
  readonly profileId?: string;
  readonly thinking?: ThinkingLevel;
}

export class SessionFacts {
  readonly #index: IndexOptions;

  constructor(index: IndexOptions) {
    this.#index = index;
  }

  /** Note where the last message came from: answers that an agent begins by itself go there. */
  async received(
    key: string,
    chat: Conversation,
    channel: ChannelName,
    message: ChannelMessage,
  ): Promise<void> {
    const { from, to, threadId, groupId, chatType } = message;
    const address = addressOf(channel, message);
    const { name: provider, accountId } = channel;
    await this.#patch(key, {
      sessionId: chat.id,
      updatedAt: timeOf((await chat.info()).updatedAt),
      managedBy: "colloquy",
      channel: provider,
      chatType,
      groupId,
      deliveryContext: { ...address },
      lastChannel: provider,
      lastTo: address.to,
      origin: {
        ...{ provider, surface: provider, chatType, from: from.id, accountId },
        ...defined({ label: from.name, to, threadId }),
      },
    });
  }

  async answered(key: string, chat: Conversation): Promise<void> {
    await recordSession(this.#index, key, chat);
  }

  settings(key: string): SessionSettings {
    const entry = loadSessionStore(this.#index)[key];
    return entry === undefined ? {} : settingsOf(entry);
  }

  async #patch(sessionKey: string, patch: Partial<SessionEntry>): Promise<void> {
    await patchSessionEntry({ ...this.#index, sessionKey, patch });
  }
}

function settingsOf(entry: SessionEntry): SessionSettings {
  const { modelOverride, providerOverride, authProfileOverride, thinkingLevel } = entry;
  const isWhole =
    modelOverride === undefined || providerOverride === undefined || modelOverride.includes("/");
  return defined({
    model: isWhole ? modelOverride : `${providerOverride}/${modelOverride}`,
    profileId: authProfileOverride,
    thinking: THINKING_LEVELS.find((level) => level === thinkingLevel),
  });
}
