import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, textIn, timeIn } from "../../../util/values.ts";
import type { SourceConversation } from "../../contract/reader.ts";
import { isContext } from "./message.ts";
import { blocksOf } from "./parts.ts";

/** Reads the metadata of a recording. Sub-agents are in a folder named after the session of their parent. */
export function startOf(metadata: JsonObject, sourceId: string, path: string): SourceConversation {
  const { kind, summary, startTime } = metadata;
  const parent = kind === "subagent" ? folderOf(path) : undefined;
  return {
    sourceId,
    title: filledIn(summary),
    createdAt: timeIn(startTime),
    ...(parent === undefined ? {} : { parent: { sourceId: parent } }),
    about: aboutOf(metadata),
  };
}

export function aboutOf({ projectHash, kind, directories }: JsonObject): JsonObject | undefined {
  const about = defined({
    projectHash: textIn(projectHash),
    kind: textIn(kind),
    directories: Array.isArray(directories) ? directories : undefined,
  });
  return Object.keys(about).length === 0 ? undefined : about;
}

function folderOf(path: string): string | undefined {
  const folder = path.split(/[\\/]/).at(-2);
  return folder === "chats" ? undefined : filledIn(folder);
}

/** The first line of a prompt, as it was shown to the user. */
export function promptTitle(value: JsonObject): string | undefined {
  const { type, content, displayContent } = value;
  if (type !== "user" || isContext(value)) return undefined;
  return firstLine(displayContent) ?? firstLine(content);
}

function firstLine(content: Json | undefined): string | undefined {
  const [first] = listIn(typeof content === "string" ? [content] : blocksOf(content, ""));
  const text = textIn(first) ?? textIn(objectIn(first)?.text);
  return filledIn(text?.trim().split("\n", 1)[0]);
}
