/** Who may write to an agent, and where it answers. One function decides for every kind of event. */
import { checkObject, checkStrings } from "../../util/checked-arguments.ts";
import type { ChannelMessage } from "../channel.ts";

export interface AccessPolicy {
  /** Ids of users who may write; `*` is everybody. Without any, nobody may. */
  readonly users: readonly string[];
  /** Ids of rooms, or of the servers that they belong to, in which everybody may write; `*` is every room. */
  readonly rooms?: readonly string[] | undefined;
  /** Answer in rooms without being addressed. Default: only if it is addressed. */
  readonly answersAll?: boolean | undefined;
}

export type Authorised =
  | { readonly ok: true }
  /** `silent`: not for the agent. Others are told, in a direct message, that they may not write. */
  | { readonly ok: false; readonly reason: "not-allowed" | "silent" };

/** Only ids count: names can be chosen by anybody. */
export function authorise(
  message: Pick<ChannelMessage, "from" | "to" | "groupId" | "chatType" | "isAddressed">,
  policy: AccessPolicy,
): Authorised {
  checkObject(message, "message");
  checkObject(message.from, "from");
  checkObject(policy, "policy");
  checkStrings(policy.users, "users");
  const { from, to, groupId, chatType, isAddressed } = message;
  const isDirect = chatType === "direct";
  if (!isDirect && !isAddressed && policy.answersAll !== true) return { ok: false, reason: "silent" };
  const isIn = (ids: readonly string[], id: string | undefined): boolean =>
    ids.includes("*") || (id !== undefined && ids.includes(id));
  const rooms = policy.rooms ?? [];
  const isRoomAllowed = !isDirect && (isIn(rooms, to) || isIn(rooms, groupId));
  if (isIn(policy.users, from.id) || isRoomAllowed) return { ok: true };
  return { ok: false, reason: isDirect ? "not-allowed" : "silent" };
}
