/** Facts about an OpenClaw transcript from its path. */
import { defined, type JsonObject } from "../../../util/json.ts";

export interface OpenclawPlace {
  /** The session's id and, for a topic, the thread's. */
  readonly sourceId: string | undefined;
  readonly topic: string | undefined;
  readonly about: JsonObject;
}

const AGENT = /(?:^|\/)agents\/([^/]+)\/(?:sessions|session-sqlite-import-archive|agent)\//;
const ARCHIVE = /(?:^|\/)session-sqlite-import-archive\//;
const STATE_FOLDER = /(?:^|\/)\.(?:openclaw|clawdbot|moltbot)[^/]*\/sessions\//;
/** `<session>[-topic-<thread>].jsonl`, with a suffix when it is archived. */
const NAME = /^(.+?)(?:-topic-(.+?))?\.jsonl(?:\.(reset|deleted)\.|\.|$)/;

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
  const [, session, topic, archived] = NAME.exec(plain.split("/").at(-1) ?? "") ?? [];
  // The name of a cold file is a hash of its content.
  const isNamed = session !== undefined && !/^[0-9a-f]{64}$/.test(session);
  const sourceId = isNamed ? topicId(session, topic) : undefined;
  const agent = AGENT.exec(plain)?.[1];
  return { sourceId, topic, about: defined({ agent, archived, topic }) };
}

/** Topics of one session are separate conversations. */
export function topicId(session: string, topic: string | undefined): string {
  return topic === undefined ? session : `${session}-topic-${topic}`;
}
