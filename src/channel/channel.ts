/** What a channel is to the rest: a way in for messages, and a way out for answers. A new one is one small folder. */
import type { ExtensionFactory } from "../agent/index.ts";
import type { ColloquyError } from "../errors.ts";
import type { DeliveryAddress } from "../key/index.ts";
import type { SessionChatType } from "../state/session-index/index.ts";

/** A file that came with a message. It is downloaded when the message is durable. */
export interface Attachment {
  readonly name: string;
  readonly mediaType: string;
  /** In bytes, as the platform says. */
  readonly size: number;
  /** By which `download` finds it, also after a restart. At most 2,000 characters. */
  readonly ref: string;
}

/** A message as its channel received it. Ids are those of the platform, in its own spelling. */
export interface ChannelMessage {
  /** Unique within the account. The same message again changes nothing. */
  readonly id: string;
  readonly from: { readonly id: string; readonly name?: string | undefined };
  readonly chatType: SessionChatType;
  /** The room, unless it is a direct message. */
  readonly to?: string | undefined;
  readonly threadId?: string | undefined;
  /** The server or workspace that the room belongs to. */
  readonly groupId?: string | undefined;
  readonly text: string;
  readonly attachments?: readonly Attachment[] | undefined;
  /** It is addressed to the agent: a direct message, a mention, or a reply to the agent. */
  readonly isAddressed: boolean;
  /** A new version of the message with this id. */
  readonly isEdit?: boolean | undefined;
  /** ISO 8601. */
  readonly at?: string | undefined;
}

export interface ChannelEvents {
  /** Resolves when the message is durable, or was refused: only then may the channel confirm it to the platform. */
  onMessage(message: ChannelMessage): Promise<void>;
  /** The connection failed and is tried again, or a message could not be read. */
  onProblem(problem: ColloquyError): void;
  /** It is connected again, but the platform does not repeat what was written since this time. */
  onGap(since: string): void;
}

export interface SendOptions {
  /** The same for every attempt to send this text. Platforms that know such a key drop the second one. */
  readonly nonce: string;
  /** The message that is answered. */
  readonly replyTo?: string | undefined;
}

/** What a platform says of a message that it has accepted. */
export interface SentMessage {
  /** When, by the clock of the platform: a message that a user wrote before is not an answer to it. ISO 8601. */
  readonly at?: string | undefined;
}

export interface Channel {
  /** As in session keys, such as `discord`. */
  readonly name: string;
  /** The owner's account on the platform, if there are several. */
  readonly accountId: string;
  /** The most characters of one message. */
  readonly charsMax: number;
  /** Resolves when it is connected. */
  start(events: ChannelEvents): Promise<void>;
  /**
   * Send a text as one message.
   *
   * Contract: resolves once the platform has accepted it. `NOT_FOUND` and `FORBIDDEN` mean that no later attempt can
   * succeed; every other error is tried again.
   */
  send(address: DeliveryAddress, text: string, options: SendOptions): Promise<void> | Promise<SentMessage>;
  /** The bytes of an attachment. `NOT_FOUND` and `FORBIDDEN` mean that no later attempt can succeed. */
  download?(ref: string): Promise<Uint8Array>;
  /**
   * Report what was written in a place since a time, if the platform does not repeat that by itself when it is
   * connected again. Messages that were reported before may come again.
   */
  catchUp?(place: { readonly address: DeliveryAddress; readonly since: string }): Promise<void>;
  /** Show that an answer is being written. Failures are not reported. */
  typing?(address: DeliveryAddress): Promise<void>;
  close(): Promise<void>;
}

/** The default export of a module that adds channels. */
export type ChannelExtension = ExtensionFactory<Channel>;
