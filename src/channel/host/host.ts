/**
 * Connects a channel with an agent: from a message that comes in to its answer that goes out.
 *
 * Everything a channel need not know is here: who may write, which agent and session a message belongs to,
 * commands, the inbox and the outbox.
 */

import { type ChunkSettings, chunk } from "../../agent/chunker/index.ts";
import type { AgentLoop, Approve } from "../../agent/index.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import { deriveSessionKey, type KeyConfig } from "../../key/index.ts";
import type { IndexOptions } from "../../state/session-index/index.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { defined } from "../../util/json.ts";
import { objectIn, textIn } from "../../util/values.ts";
import { ChannelApprovals } from "../approvals/channel-approvals.ts";
import { approversOf } from "../approvals/question-text.ts";
import { takeAnswer } from "../approvals/take-answer.ts";
import type { Channel, ChannelMessage } from "../channel.ts";
import { findCommand } from "../commands/chat-commands.ts";
import { acceptEdit, acceptMessage, addressOf } from "../inbox/accept.ts";
import { CommandMarks } from "../inbox/command-marks.ts";
import { nonceOf } from "../inbox/delivery.ts";
import { MessageDesk, type Question } from "../inbox/desk.ts";
import { isInFormer } from "../inbox/former.ts";
import { type AccessPolicy, authorise } from "./authorise.ts";
import { CatchUp } from "./catch-up.ts";
import { retryFailed } from "./retry-failed.ts";
import { SessionFacts, type SessionSettings } from "./session-facts.ts";

/** A session that a message belongs to. */
export interface Session {
  readonly key: string;
  readonly agentId: string | undefined;
  readonly conversation: Conversation;
  readonly settings: SessionSettings;
  /** Asks about a tool in the chat; `undefined` if none of its users may answer. */
  readonly approve: Approve | undefined;
}

export interface HostOptions {
  readonly store: Store;
  readonly channel: Channel;
  readonly access: AccessPolicy;
  /** Makes the loop that answers in a session. */
  readonly loopFor: (session: Session) => AgentLoop | Promise<AgentLoop>;
  /** The agent that answers a message, when there are several. */
  readonly agentFor?: ((message: ChannelMessage) => string | undefined) | undefined;
  readonly keys?: KeyConfig | undefined;
  /** How answers are cut. Default: as the channel allows. */
  readonly cuts?: ChunkSettings | undefined;
  /** Where the session index of an agent is. Without it, none is kept. */
  readonly indexOf?: ((agentId: string | undefined) => IndexOptions) | undefined;
  /** Default: a process warning. */
  readonly onProblem?: ((problem: ColloquyError) => void) | undefined;
  readonly pollMs?: number | undefined;
}

export class ChannelHost {
  readonly #options: HostOptions;
  readonly #desk: MessageDesk;
  readonly #cuts: ChunkSettings;
  readonly #commands: CommandMarks;
  readonly #approvals: ChannelApprovals;
  readonly #catchUp: CatchUp;
  /** The agent of each session that wrote since the start. */
  readonly #agents = new Map<string, string | undefined>();

  constructor(options: HostOptions) {
    const { store, channel, pollMs } = options;
    this.#options = options;
    this.#commands = new CommandMarks(store, channel);
    const cuts = options.cuts ?? {};
    this.#cuts = { ...cuts, max: Math.min(cuts.max ?? channel.charsMax, channel.charsMax) };
    const onProblem = (problem: ColloquyError): void => this.#report(problem);
    this.#approvals = new ChannelApprovals({ store, channel, cuts: this.#cuts, onProblem });
    this.#catchUp = new CatchUp(store, channel, onProblem);
    this.#desk = new MessageDesk({
      ...{ store, channel, pollMs, cuts: this.#cuts },
      answer: (question) => this.#answer(question),
      onProblem,
    });
  }

  /** Connect, and take up what was left. With `retry`, also what the platform refused. */
  async start({ retry = false }: { readonly retry?: boolean } = {}): Promise<void> {
    const { store, channel } = this.#options;
    // Before new messages arrive: those between the last one and them are missing.
    const places = await this.#catchUp.places();
    await channel.start({
      onMessage: (message) => this.#received(message),
      onProblem: (problem) => this.#report(problem),
      onGap: (since) => this.#catchUp.since(since),
    });
    await this.#commands.forgetOld(Date.now());
    if (retry) await retryFailed(store, channel);
    await this.#desk.start();
    this.#catchUp.at(places);
  }

  async close(): Promise<void> {
    await this.#options.channel.close();
    await this.#catchUp.settled();
    await this.#desk.close();
  }

  /** Resolves when the message is durable, or is not for the agent. */
  async #received(message: ChannelMessage): Promise<void> {
    const { store, channel, access } = this.#options;
    const allowed = authorise(message, access);
    if (!allowed.ok) {
      if (allowed.reason === "not-allowed") await this.#say(message, notAllowed(message.from.id));
      return;
    }
    const agentId = this.#options.agentFor?.(message);
    const key = this.#keyOf(message, agentId);
    this.#agents.set(key, agentId);
    const { questions } = this.#approvals;
    const answered = await takeAnswer({ store, channel, commands: this.#commands, questions }, message, key);
    if (answered !== undefined) return this.#say(message, answered);
    const command = message.isEdit === true ? undefined : findCommand(message.text);
    if (command !== undefined) {
      const { argument, command: found } = command;
      const work = (): Promise<string> => found.run({ store, key }, argument);
      const said = await this.#commands.once(message, key, found, work);
      if (said !== undefined) await this.#say(message, said);
      return;
    }
    const chat = await store.open(key, { channel: channel.name });
    const isNew =
      message.isEdit === true
        ? await acceptEdit(store, chat, channel, message)
        : !(await this.#wasAccepted(message, key)) && (await acceptMessage(chat, channel, message));
    this.#desk.serve(chat.id);
    if (isNew) await this.#note(() => this.#facts(agentId)?.received(key, chat, channel, message));
  }

  /** Before the session started over. */
  async #wasAccepted(message: ChannelMessage, key: string): Promise<boolean> {
    const { store, channel } = this.#options;
    return (await this.#commands.isCleared(message, key)) || (await isInFormer(store, key, channel, message));
  }

  #keyOf({ from, to, threadId, chatType }: ChannelMessage, agentId: string | undefined): string {
    const { channel, keys } = this.#options;
    const room = chatType === "direct" ? undefined : to;
    return deriveSessionKey({
      channel: channel.name,
      from: from.id,
      to: room,
      threadId,
      agentId,
      config: keys,
    });
  }

  async #answer({ conversation, entryId, address }: Question): Promise<string | undefined> {
    const { key } = await conversation.info();
    const agentId = key === null ? undefined : (this.#agents.get(key) ?? agentIn(key));
    const facts = key === null ? undefined : this.#facts(agentId);
    const settings = key === null ? {} : (facts?.settings(key) ?? {});
    const { from, chatType } = objectIn((await conversation.entry(entryId))?.message?.provenance) ?? {};
    const approvers = approversOf(textIn(from), this.#options.access.users);
    const place = { conversation, address, approvers, isDirect: chatType === "direct" };
    const approve = this.#approvals.approveIn(place);
    const session = { key: key ?? "", agentId, conversation, settings, approve };
    await using loop = await this.#options.loopFor(session);
    const { thinking } = settings;
    const { reply, entries } = await loop.answer(entryId, defined({ thinking }));
    if (key !== null) await this.#note(() => facts?.answered(key, conversation));
    return reply.trim() === "" ? undefined : entries.at(-1);
  }

  #facts(agentId: string | undefined): SessionFacts | undefined {
    const index = this.#options.indexOf?.(agentId);
    return index === undefined ? undefined : new SessionFacts(index);
  }

  /** The index is a convenience: that it cannot be written must not stop a message. */
  async #note(work: () => Promise<void> | undefined): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#report(asColloquyError(error, "Cannot write the session index"));
    }
  }

  /** Sends a sentence that is not stored in the conversation. */
  async #say(message: ChannelMessage, text: string): Promise<void> {
    const { channel } = this.#options;
    try {
      for (const [at, { text: part }] of chunk(text, this.#cuts).entries()) {
        const options = { nonce: nonceOf(message.id, at), replyTo: message.id };
        await channel.send(addressOf(channel, message), part, options);
      }
    } catch (error) {
      this.#report(asColloquyError(error, `Cannot send to ${channel.name}`));
    }
  }

  #report(problem: ColloquyError): void {
    const { onProblem = (error) => process.emitWarning(error.message) } = this.#options;
    onProblem(problem);
  }
}

/** After a restart: the agent is part of the key. */
function agentIn(key: string): string | undefined {
  return /^agent:([^:]+):/.exec(key)?.[1];
}

function notAllowed(id: string): string {
  return `I may not answer you. Your id is ${id}: ask the owner of this agent to allow it.`;
}
