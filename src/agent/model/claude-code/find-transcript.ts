/** Where Claude Code keeps a session. */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ColloquyError, invalid } from "../../../errors.ts";
import type { Environment } from "../../../state/folder.ts";
import { filledIn, objectIn, parsedIn } from "../../../util/values.ts";

/** Its settings and sessions. */
export function claudeFolder(env: Environment): string {
  return env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
}

/** The file of a session, which is in the folder of one of the projects. */
export function findTranscript(folder: string, sessionId: string): string | undefined {
  const projects = join(folder, "projects");
  if (!existsSync(projects)) return undefined;
  return readdirSync(projects)
    .map((project) => join(projects, project, `${sessionId}.jsonl`))
    .find(existsSync);
}

export function sessionNotFound(sessionId: string, folder: string): ColloquyError {
  const message = `There is no session ${sessionId} of Claude Code in ${join(folder, "projects")}`;
  return new ColloquyError("NOT_FOUND", message, { field: "sessionId" });
}

const BEGINNING_BYTES = 1024 * 1024;

/** Claude Code finds a session only from the folder that it was started in. */
export function projectOf(transcript: string): string {
  const lines = beginningOf(transcript).split("\n");
  const cwd = lines.map((line) => filledIn(objectIn(parsedIn(line))?.cwd)).find((path) => path !== undefined);
  if (cwd !== undefined && statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return cwd;
  const problem = cwd === undefined ? "is not known" : `${cwd} does not exist`;
  throw invalid(`The folder of this session ${problem}. Pass the folder as cwd`, "cwd");
}

function beginningOf(path: string): string {
  const buffer = Buffer.alloc(BEGINNING_BYTES);
  const file = openSync(path, "r");
  try {
    return buffer.toString("utf8", 0, readSync(file, buffer));
  } finally {
    closeSync(file);
  }
}
