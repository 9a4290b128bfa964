/** Facts about an OpenClaw transcript from its path. */
import { defined, type JsonObject } from "../../../util/json.ts";

export interface OpenclawPlace {
  /** The session's id and, for a topic, the thread's. */
  readonly sourceId: string | undefined;
  readonly topic: string | undefined;
  /** Of a transcript that was moved to a database, whose name has it. */
  readonly key: string | undefined;
  readonly about: JsonObject;
}

/** Behind a `!` is the name of a member of a zip. */
const AGENT = /(?:^|[/!])agents\/([^/]+)\/(?:sessions|session-sqlite-import-archive|agent)\//;
const ARCHIVE = /(?:^|[/!])session-sqlite-import-archive\//;
const STATE_FOLDER = /(?:^|[/!])\.(?:openclaw|clawdbot|moltbot)[^/]*\/sessions\//;
/** `<session>[-topic-<thread>].jsonl`, with a suffix when it is archived. */
const NAME = /^(.+?)(?:-topic-(.+?))?\.jsonl(?:\.(reset|deleted)\.|\.|$)/;

/** `agent_<agent>_<rest of the key>.<session>.jsonl.imported-<time>`, with `_` for the colons of the key. */
const MIGRATED = /^agent_(.+)\.([^.]+)\.jsonl\.imported-/;

function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}

/** Whether a transcript in pi's shape is one of OpenClaw's. */
export function isOpenclawPath(path: string): boolean {
  const plain = withSlashes(path);
  return AGENT.test(plain) || ARCHIVE.test(plain) || STATE_FOLDER.test(plain);
}

export function openclawPlace(path: string): OpenclawPlace {
  const plain = withSlashes(path);
  const name = plain.split("/").at(-1) ?? "";
  const [, rest, migrated] = MIGRATED.exec(name) ?? [];
  const [, session = migrated, topic, archived] = rest === undefined ? (NAME.exec(name) ?? []) : [];
  // The name of a cold file is a hash of its content.
  const isNamed = session !== undefined && !/^[0-9a-f]{64}$/.test(session);
  const sourceId = isNamed ? topicId(session, topic) : undefined;
  const agent = AGENT.exec(plain)?.[1];
  const key = rest === undefined ? undefined : keyIn(rest, agent);
  return { sourceId, topic, key, about: defined({ agent, archived, topic, session_key: key }) };
}

/** The name of the agent may itself contain `_`. */
function keyIn(rest: string, agent: string | undefined): string {
  const isOwn = agent !== undefined && rest.startsWith(`${agent}_`);
  const [first, others] = isOwn ? [agent, rest.slice(agent.length + 1)] : rest.split(/_(.*)/s);
  return `agent:${first}:${(others ?? "").replaceAll("_", ":")}`;
}

/** Topics of one session are separate conversations. */
export function topicId(session: string, topic: string | undefined): string {
  return topic === undefined ? session : `${session}-topic-${topic}`;
}
