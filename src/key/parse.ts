import { splitMark } from "./copies.ts";
import { type KeyConfig, resolveSessionKey } from "./resolve.ts";

export type KeyKind = "dm" | "channel" | "thread" | "session";

/** The parts of a session key. The delivery address is not one of them: it is stored beside the key. */
export interface ParsedKey {
  /** In current form. */
  readonly key: string;
  readonly agent: string | undefined;
  readonly channel: string;
  /** `session`: a plain name or number, as in `cli:work`. */
  readonly kind: KeyKind;
  readonly id: string;
  /** The workspace of a Slack channel, the room of a thread. */
  readonly within: string | undefined;
  /** The mark of an older conversation whose key belongs to a newer one. */
  readonly mark: string | undefined;
}

type Place = Pick<ParsedKey, "kind" | "id" | "within">;

/** Parse a current or legacy key. Fails with `VALIDATION_ERROR` if the string is not a key. */
export function parseSessionKey(sessionKey: string, config?: KeyConfig): ParsedKey {
  const key = resolveSessionKey({ sessionKey, config });
  const [plain, mark] = splitMark(key);
  const [agent, rest] = splitAgent(plain);
  const colon = rest.indexOf(":");
  const channel = colon < 0 ? "agent" : rest.slice(0, colon);
  const place = placeOf(channel, rest.slice(colon + 1));
  return { key, agent, channel, ...place, mark: mark === "" ? undefined : mark.slice(1) };
}

/** The innermost agent, and the rest of the key. */
function splitAgent(key: string): readonly [string | undefined, string] {
  let agent: string | undefined;
  let rest = key;
  for (let found = AGENT.exec(rest); found !== null; found = AGENT.exec(rest)) {
    agent = found[1];
    rest = found[2] as string;
  }
  return [agent, rest];
}

const AGENT = /^agent:([^:]+):(.+)$/;

function placeOf(channel: string, rest: string): Place {
  const parts = rest.split(":");
  if (channel === "cli" || channel === "web") return { kind: "session", id: rest, within: undefined };
  if (channel === "slack") return slackPlace(parts);
  if (isKind(parts[0]) && parts.length > 1) return kindPlace(parts);
  return { kind: isDirect(channel, rest) ? "dm" : "session", id: rest, within: undefined };
}

function isKind(word: string | undefined): word is KeyKind {
  return word === "dm" || word === "channel" || word === "thread";
}

function kindPlace([kind, ...others]: readonly string[]): Place {
  if (kind !== "thread" || others.length < 2) {
    return { kind: kind as KeyKind, id: others.join(":"), within: undefined };
  }
  return { kind, id: others.slice(1).join(":"), within: others[0] };
}

/** The kind is the second to last word, because a room may be called `thread` too. */
function slackPlace(parts: readonly string[]): Place {
  const [word, id = ""] = parts.length < 2 ? [undefined, parts[0]] : parts.slice(-2);
  const outer = parts.slice(0, isKind(word) ? -2 : -1);
  const within = outer.length === 0 ? undefined : outer.join(":");
  return { kind: isKind(word) ? word : "channel", id, within };
}

const PERSONAL: ReadonlySet<string> = new Set(["telegram", "whatsapp", "signal", "sms", "imessage"]);

function isDirect(channel: string, rest: string): boolean {
  return PERSONAL.has(channel) && !rest.includes(":");
}
