/** The WebSocket protocol at `/ws`: JSON in text frames. */
import type { Entry, MessageInput } from "../../message/types.ts";
import type { Permission, Scope } from "./auth.ts";
import type { AppendedMessages, ConversationSummary, ErrorBody } from "./rest.ts";

/** Named in `auth`. A gateway that does not speak it refuses with `NOT_SUPPORTED`. */
export const PROTOCOL_VERSION = 1;

/** Why a gateway closes a connection, in the close frame. Other codes are those of the standard. */
export const CLOSE = {
  /** A frame is not one of this protocol. */
  protocol: 4400,
  /** Not signed in within 5 seconds, refused, expired or revoked. */
  unauthorized: 4401,
  /** Events were not read in time: connect again, and read the topics again. */
  tooSlow: 4408,
  /** Too many connections, or too many refused requests. */
  tooMany: 4429,
} as const;

export interface RequestFrame {
  readonly type: "req";
  /** Chosen by the client; unique on its connection while it waits. */
  readonly id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type ResponseFrame =
  | { readonly type: "res"; readonly id: string; readonly ok: true; readonly result: unknown }
  | { readonly type: "res"; readonly id: string; readonly ok: false; readonly error: ErrorBody["error"] };

/**
 * `n` grows with each event of a topic, the same for every subscriber; events that a subscriber does not want, such as
 * deltas, are left out. A client that was cut off subscribes with the last `n` it saw, and gets the events after it, or
 * `resync` if they are no longer known.
 */
export interface EventFrame<Name extends EventName = EventName> {
  readonly type: "event";
  readonly event: Name;
  readonly topic: string;
  readonly n: number;
  readonly data: Events[Name];
}

export type Frame = RequestFrame | ResponseFrame | AnyEventFrame;

/** The list of all conversations, or one of them: `conversation:<id>`. */
export type Topic = "conversations" | `conversation:${string}`;

/** The files of a message: how many, and how large each can be. */
export const ATTACHMENTS = { filesMax: 10, bytesMax: 20_000_000 } as const;

/** A file that was stored with `POST /api/v1/blobs` before. */
export interface Attachment {
  readonly blob: string;
  readonly mediaType: string;
  readonly name?: string;
}

export interface SendMessage {
  /** An id or a session key. Default: a new conversation. */
  readonly conversation?: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** Sending again with the same key changes nothing and returns the first result. */
  readonly idempotencyKey: string;
  /** Answer with this model, as `provider/model`. A new conversation keeps it. Default: that of the conversation. */
  readonly model?: string;
  /** The message follows this entry (`null`: the first one); if another is the head, it is a `CONFLICT`. */
  readonly expectedHead?: string | null;
}

export interface Accepted {
  readonly conversation: string;
  /** The id of the run, in the events that follow. */
  readonly run: string;
  /** The id of the user's message, which is durable. */
  readonly entry: string | null;
}

/** What a client can ask for: parameters and result of each method. */
export interface Methods {
  readonly auth: {
    readonly params: { readonly protocol: number; readonly token?: string; readonly ticket?: string };
    readonly result: { readonly user: string; readonly permission: Permission; readonly scope: Scope | null };
  };
  readonly ping: { readonly params: Record<string, never>; readonly result: { readonly at: string } };
  readonly subscribe: {
    readonly params: {
      readonly topic: string;
      /** The last number that was seen, of this `stream`. Default: only what is new. */
      readonly after?: number;
      readonly stream?: string;
      /** Text as it is streamed (default), or in whole chunks, as channels send it. */
      readonly text?: "deltas" | "chunks";
    };
    readonly result: {
      /** Changes when the gateway restarts: numbers of another stream mean nothing. */
      readonly stream: string;
      /** Events up to this one were sent before this answer, or are left out. */
      readonly n: number;
      /** The answer that is being written: what was streamed so far. */
      readonly running: RunningAnswer | null;
      /** Messages that join the conversation after it. */
      readonly waiting: readonly WaitingMessage[];
    };
  };
  readonly unsubscribe: {
    readonly params: { readonly topic: string };
    readonly result: Record<string, never>;
  };
  readonly "chat.send": { readonly params: SendMessage; readonly result: Accepted };
  /** Replace a message of the user on a new branch, and answer it. */
  readonly "chat.edit": {
    readonly params: {
      readonly conversation: string;
      readonly entry: string;
      readonly text: string;
      readonly idempotencyKey: string;
      readonly model?: string;
    };
    readonly result: Accepted & { readonly branch: string };
  };
  /** Answer again, on a new branch. */
  readonly "chat.regenerate": {
    readonly params: {
      readonly conversation: string;
      readonly entry: string;
      readonly idempotencyKey: string;
      readonly model?: string;
    };
    readonly result: Accepted & { readonly branch: string };
  };
  /** Complete an answer that was interrupted. */
  readonly "chat.resume": {
    readonly params: { readonly conversation: string };
    readonly result: { readonly run: string | null };
  };
  readonly "chat.stop": {
    readonly params: {
      readonly conversation: string;
      /** Only while this run is being written. Default: whatever is. */
      readonly run?: string;
    };
    readonly result: { readonly stopped: boolean };
  };
  readonly "approval.answer": {
    readonly params: { readonly id: string; readonly allow: boolean };
    readonly result: Record<string, never>;
  };
  /** One durable append, as `POST …/messages`. */
  readonly "messages.append": {
    readonly params: {
      readonly conversation: string;
      readonly messages: readonly MessageInput[];
      readonly branch?: string;
      readonly idempotencyKey?: string;
      readonly expectedHead?: string | null;
    };
    readonly result: AppendedMessages;
  };
}

export type MethodName = keyof Methods;

export interface WaitingMessage {
  /** The id that it will have. */
  readonly entry: string;
  readonly text: string;
}

export interface RunningAnswer {
  readonly run: string;
  readonly text: string;
  readonly thinking: string;
  readonly tools: readonly ToolState[];
  readonly approvals: readonly ApprovalQuestion[];
}

export interface ToolState {
  readonly id: string;
  readonly name: string;
  readonly state: "running" | "done" | "failed";
  /** Shortened; secrets are masked. */
  readonly input: string;
  readonly output: string | null;
  readonly ms: number | null;
}

export interface ApprovalQuestion {
  readonly id: string;
  readonly tool: string;
  /** Whole, as the tool would get it, with secrets masked. */
  readonly input: string;
  readonly expiresAt: string;
}

/** What happens in a topic. */
export interface Events {
  /** Entries became durable, in this process or another one. */
  readonly "conversation.entries": {
    readonly conversation: string;
    readonly entries: readonly Entry[];
    /** Ids of entries that are too large for an event: read them over HTTP. */
    readonly omitted: readonly string[];
  };
  /** Title, branch, trash …: read it again if `info` is `null`. */
  readonly "conversation.changed": {
    readonly conversation: string;
    readonly info: ConversationSummary | null;
  };
  /** A message was accepted that joins the conversation after the answer that is being written. */
  readonly "chat.waiting": WaitingMessage;
  readonly "chat.started": { readonly run: string; readonly entry: string | null; readonly model: string };
  /** `position` is where the text begins in the current step of the answer, in UTF-16 units. */
  readonly "chat.delta": { readonly run: string; readonly position: number; readonly text: string };
  readonly "chat.thinking": { readonly run: string; readonly text: string };
  /** Instead of deltas, for those who asked for `chunks`: whole paragraphs, cut as a channel would send them. */
  readonly "chat.chunk": { readonly run: string; readonly text: string };
  /** A step became an entry, and the text of the next one begins at 0. */
  readonly "chat.step": { readonly run: string; readonly step: number };
  readonly "chat.tool": { readonly run: string; readonly tool: ToolState };
  readonly "chat.approval": { readonly run: string; readonly question: ApprovalQuestion };
  readonly "chat.approved": { readonly run: string; readonly id: string; readonly allow: boolean };
  /** For the user: a model failed and the next one is asked, the conversation is being compacted … */
  readonly "chat.notice": { readonly run: string; readonly text: string };
  readonly "chat.done": {
    readonly run: string;
    readonly state: "finished" | "stopped";
    readonly entries: readonly string[];
    readonly usage: Readonly<Record<string, number>>;
  };
  readonly "chat.failed": { readonly run: string; readonly error: ErrorBody["error"] };
  /** Events were left out: read the topic again. It continues after `n`. */
  readonly resync: { readonly reason: "restarted" | "too-old" | "too-slow" | "too-many" | "erased" };
}

export type EventName = keyof Events;

/** Any event, told apart by `event`. */
export type AnyEventFrame = { readonly [Name in EventName]: EventFrame<Name> }[EventName];
