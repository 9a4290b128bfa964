/** OpenClaw: its transcripts, which are pi sessions, their index, and its database. */
import { join } from "node:path";
import type { JsonObject } from "../../../util/json.ts";
import type { Describe, FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import { parsedValue } from "../../sources/json/records.ts";
import type { PiOrigin } from "../shared/pi-session/header.ts";
import { PiReader } from "../shared/pi-session/reader.ts";
import { isPiSession } from "../shared/pi-session/sniff.ts";
import { idIn } from "../shared/whole-tree-blocks.ts";
import { isOpenclawDatabase, readOpenclaw } from "./database.ts";
import { isOpenclawIndex, openclawKeys } from "./keys.ts";
import { isOpenclawPath, openclawPlace, topicId } from "./place.ts";
import { openclawResume } from "./resume.ts";

const NAME = "openclaw";

export const openclaw: FormatWith<"lines" | "document" | "database"> = {
  name: NAME,
  lines: {
    needsMessage: true,
    sniff: (records, path) => isOpenclawPath(path) && isPiSession(records),
    open: (sink, { path }, state) =>
      new PiReader(sink, { format: NAME, origin: (header) => originOf(path, header) }, state),
  },
  // Holds no messages. What it says about transcripts is applied when those are read.
  document: {
    sniff: isOpenclawIndex,
    read: () => {},
  },
  database: {
    sniff: isOpenclawDatabase,
    read: readOpenclaw,
  },
  // Copies of a transcript: all they say is in the transcript too.
  companions: /\.jsonl\.full\.bak$|\.checkpoint\.[^./\\]+\.jsonl(?:\.zst)?$/,
  sideFile: {
    isShared: true,
    names: () => ["sessions.json", "../sessions/sessions.json"],
    read: describeSession,
  },
  home: {
    folders: [".openclaw", ".clawdbot", ".moltbot", ".moldbot"].flatMap((name) => [name, `${name}/agents`]),
    runs: ["pi", "claude-code", "codex"],
  },
  resume: openclawResume,
  usualPlaces: ({ home, environment }) => [
    { tool: "OpenClaw", path: join(environment.OPENCLAW_STATE_DIR || join(home, ".openclaw"), "agents") },
    ...["clawdbot", "moltbot", "moldbot"].map((name) => ({
      tool: "OpenClaw (legacy)",
      path: join(home, `.${name}`, "agents"),
    })),
  ],
};

/** The header's id counts. A topic adds its own from the file name, because all topics of a session share one. */
function originOf(path: string, header: JsonObject): PiOrigin {
  const { sourceId, topic, key, about } = openclawPlace(path);
  const id = idIn(header.id);
  const own = id === undefined ? sourceId : topicId(id, topic);
  return { sourceId: own ?? madeId("openclaw", path), ...(key === undefined ? {} : { key }), about };
}

/** A session key belongs to the transcript that it leads to now; former transcripts keep the default key. */
function describeSession(text: string): Describe {
  const keys = openclawKeys(parsedValue(text) ?? {});
  return (start) => {
    const known = keys.get(start.sourceId);
    if (known === undefined) return start;
    return { ...start, key: known.key, title: start.title ?? known.label ?? known.displayName };
  };
}
