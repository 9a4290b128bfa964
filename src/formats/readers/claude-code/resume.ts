import { join } from "node:path";
import type { ResumeRule } from "../../contract/format.ts";
import { partsAfter } from "../shared/path-parts.ts";

const SESSION = /^([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/i;

const FOLDER = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

export const claudeResume: ResumeRule = {
  tool: "Claude Code",
  place({ parts, cwd }, { home, environment }) {
    const root = join(environment.CLAUDE_CONFIG_DIR || join(home, ".claude"), "projects");
    const known = partsAfter(parts, "projects") ?? afterProject(parts);
    if (known !== undefined) return join(root, ...known);
    const name = inProject(parts);
    return cwd === undefined || name.length === 0 ? undefined : join(root, projectOf(cwd), ...name);
  },
  // The file of a sub-agent belongs to the session that started it.
  command({ parts }) {
    const session = SESSION.exec(parts.at(-1) ?? "")?.[1];
    return session === undefined ? undefined : ["claude", "--resume", session];
  },
};

/** The folder of a project is named after its path, which begins with a separator. */
function afterProject(parts: readonly string[]): readonly string[] | undefined {
  const index = parts.slice(0, -1).findIndex((part) => part.startsWith("-"));
  return index === -1 ? undefined : parts.slice(index);
}

/** Sub-agents and long outputs are in a folder with the id of the session. */
function inProject(parts: readonly string[]): readonly string[] {
  const index = parts.findIndex((part) => FOLDER.test(part));
  return index === -1 ? parts.slice(-1) : parts.slice(index);
}

function projectOf(cwd: string): string {
  return cwd.replaceAll(/[^A-Za-z0-9]/g, "-");
}
