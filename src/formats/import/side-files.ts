/** What files beside a transcript say about its conversation: names and session keys. */
import type { Json } from "../../util/json.ts";
import type { SourceConversation, Surroundings } from "../contract/reader.ts";
import { parsedIn } from "../contract/values.ts";
import { agentHint } from "../readers/claude-code/meta.ts";
import { codexNames } from "../readers/codex/names.ts";
import { komatachiMetadata } from "../readers/komatachi/index.ts";
import { openclawKeys } from "../readers/openclaw/index.ts";
import { personalAgentMetadataName, readPersonalAgentMetadata } from "../readers/personal-agent/index.ts";

export type Hint = (start: SourceConversation) => SourceConversation;

const INDEX_BYTES_MAX = 64 * 1024 * 1024;
const NONE: Hint = (start) => start;

/** Remembers the indexes of one import: a thousand transcripts share one. */
export class Hints {
  readonly #read: Map<string, Promise<Hint>> = new Map();

  of(format: string, around: Surroundings): Promise<Hint> {
    const beside = BESIDE[format]?.(around.path);
    if (beside !== undefined) return readFirst(around, [beside.name], beside.hint);
    const index = INDEXES[format];
    if (index === undefined) return Promise.resolve(NONE);
    const folder = around.path.slice(0, around.path.lastIndexOf("/") + 1);
    const known = this.#read.get(folder) ?? readFirst(around, index.names, index.hint);
    this.#read.set(folder, known);
    return known;
  }
}

/** A file that belongs to one transcript alone. */
interface Beside {
  readonly name: string;
  readonly hint: (text: string) => Hint;
}

const BESIDE: Readonly<Record<string, (path: string) => Beside | undefined>> = {
  "claude-code": (path) => {
    const [agent] = /agent-[^/]+(?=\.jsonl)/.exec(path) ?? [];
    return agent === undefined ? undefined : { name: `${agent}.meta.json`, hint: agentHint };
  },
  komatachi: () => ({ name: "metadata.json", hint: (text) => adding(komatachiMetadata(text)) }),
  "personal-agent": (path) => ({
    name: personalAgentMetadataName(path),
    hint: (text) => adding(readPersonalAgentMetadata(text)),
  }),
};

function adding(known: Omit<SourceConversation, "sourceId">): Hint {
  return (start) => ({ ...start, ...known });
}

const INDEXES: Readonly<
  Record<string, { readonly names: readonly string[]; readonly hint: (text: string) => Hint }>
> = {
  codex: {
    names: ["../../../../session_index.jsonl", "../session_index.jsonl", "session_index.jsonl"],
    hint: codexHint,
  },
  openclaw: { names: ["sessions.json", "../sessions/sessions.json"], hint: openclawHint },
};

async function readFirst(
  around: Surroundings,
  names: readonly string[],
  hint: (text: string) => Hint,
): Promise<Hint> {
  for (const name of names) {
    const bytes = await around.read(name, INDEX_BYTES_MAX);
    if (bytes !== undefined) return hint(bytes.toString());
  }
  return NONE;
}

function codexHint(text: string): Hint {
  const names = codexNames(text);
  return (start) => ({ ...start, title: names.get(start.sourceId) ?? start.title });
}

/** A session key names the transcript that it leads to now; older ones keep a key of their own. */
function openclawHint(text: string): Hint {
  const keys = openclawKeys((parsedIn(text) ?? {}) as Json);
  return (start) => {
    const known = keys.get(start.sourceId);
    if (known === undefined) return start;
    return { ...start, key: known.key, title: start.title ?? known.label ?? known.displayName };
  };
}
