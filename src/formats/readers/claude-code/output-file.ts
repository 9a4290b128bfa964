import type { OutputFile } from "./blocks.ts";

const MARK = "<persisted-output>";
/** A path with either separator. Its last three parts are session, folder and file. */
const PATH = /([\w.-]+)[\\/]tool-results[\\/]([\w-]+\.\w+)/;

/**
 * Long outputs are in `<sessionId>/tool-results/` beside the session file, which
 * has a preview instead. The file of a sub-agent is below that folder, in
 * `subagents`, so its names start with `..`.
 */
export function outputFiles(path: string, sessionId: string): OutputFile {
  const below = /[\\/]subagents[\\/](.*)$/.exec(path)?.[1];
  const up = below === undefined ? undefined : "../".repeat(below.split(/[\\/]/).length);
  return (preview, toolUse) => {
    if (!preview.trimStart().startsWith(MARK)) return undefined;
    const [, session = sessionId, file = `${fileName(toolUse)}.txt`] = PATH.exec(preview) ?? [];
    return up === undefined ? `${session}/tool-results/${file}` : `${up}tool-results/${file}`;
  };
}

/** The id of a call is untrusted and must not lead to another folder. */
function fileName(toolUse: string): string {
  return toolUse.replace(/[^\w-]/g, "_");
}
