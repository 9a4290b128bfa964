/** The initial properties of a conversation. */
import { checkLabel, checkProperties, checkTitle } from "../../message/validate.ts";

export interface ConversationInit {
  readonly title?: string;
  /** Default: the part of the session key before the first colon. */
  readonly channel?: string;
  readonly model?: string;
  readonly profileId?: string;
}

export interface CreateInit extends ConversationInit {
  /** A UUID. Creating again with the same id returns the existing conversation. */
  readonly id?: string;
  readonly key?: string;
}

export interface InitFields {
  readonly title: string | null;
  readonly channel: string | null;
  readonly model: string | null;
  readonly profileId: string | null;
}

export const OPEN_PROPERTIES: ReadonlySet<string> = new Set(["title", "channel", "model", "profileId"]);
export const CREATE_PROPERTIES: ReadonlySet<string> = new Set(["id", "key", ...OPEN_PROPERTIES]);

export function checkInit(init: CreateInit, allowed: ReadonlySet<string>): InitFields {
  checkProperties(init, allowed, "init");
  const label = (value: unknown, field: string): string | null =>
    value === undefined ? null : checkLabel(value, field);
  return {
    title: init.title === undefined ? null : checkTitle(init.title),
    channel: label(init.channel, "channel"),
    model: label(init.model, "model"),
    profileId: label(init.profileId, "profileId"),
  };
}
