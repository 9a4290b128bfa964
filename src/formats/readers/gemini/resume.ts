import { join } from "node:path";
import { filledIn } from "../../../util/values.ts";
import type { ResumeRule } from "../../contract/format.ts";
import { partsAfter } from "../shared/path-parts.ts";

export const geminiResume: ResumeRule = {
  tool: "Gemini CLI",
  place({ parts, about }, { home }) {
    const root = join(home, ".gemini", "tmp");
    const known = partsAfter(parts, "tmp") ?? afterProject(parts);
    if (known !== undefined) return join(root, ...known);
    const project = filledIn(about.projectHash)?.match(/^[0-9a-f]{16,64}$/)?.[0];
    const [name] = parts.slice(-1);
    return project === undefined || name === undefined ? undefined : join(root, project, "chats", name);
  },
  command: ({ sourceId }) => ["gemini", "--resume", sourceId],
  note: "Gemini CLI finds the session only in the folder of its project",
};

/** Recordings are in the folder `chats` of a project. */
function afterProject(parts: readonly string[]): readonly string[] | undefined {
  const index = parts.slice(0, -1).lastIndexOf("chats");
  return index < 1 ? undefined : parts.slice(index - 1);
}
