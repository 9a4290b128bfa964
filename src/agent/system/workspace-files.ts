/** The files of a workspace in which its owner tells an agent who it is, whom it serves and how it works. */
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { readMarkdown } from "../../memory/files/read-markdown.ts";
import { isInside } from "../../state/config/files/confined.ts";
import { cut } from "../loop/tool-output.ts";

export interface WorkspaceFile {
  readonly name: string;
  readonly text: string;
}

/** In the order in which a model reads them. */
const WORKSPACE_FILES = ["SOUL.md", "IDENTITY.md", "AGENTS.md", "USER.md", "TOOLS.md"] as const;

const FILE_BYTES_MAX = 2_000_000;
const FILE_CHARS_MAX = 20_000;
const ALL_CHARS_MAX = 60_000;

/** Those that exist, cut if they are too long. A link that leaves the workspace is not followed. */
export function workspaceFiles(workspace: string): WorkspaceFile[] {
  let left = ALL_CHARS_MAX;
  return WORKSPACE_FILES.flatMap((name) => {
    const text = textOf(workspace, name).trim();
    if (text === "" || left === 0) return [];
    const kept = cut(text, Math.min(FILE_CHARS_MAX, left));
    left = Math.max(0, left - kept.length);
    return [{ name, text: kept }];
  });
}

/** Empty if there is none, or none that can be read. */
function textOf(workspace: string, name: string): string {
  try {
    const path = realpathSync(join(workspace, name));
    if (!isInside(realpathSync(workspace), path) || statSync(path).size > FILE_BYTES_MAX) return "";
    const file = readMarkdown(path, Date.now());
    return file.kind === "text" ? file.text : "";
  } catch {
    return "";
  }
}
