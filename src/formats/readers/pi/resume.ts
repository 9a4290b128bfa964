import { join } from "node:path";
import type { ResumeRule } from "../../contract/format.ts";
import { partsAfter } from "../shared/path-parts.ts";

export const piResume: ResumeRule = {
  tool: "pi",
  place({ parts, cwd }, { home }) {
    const root = join(home, ".pi", "agent", "sessions");
    const known = partsAfter(parts, "sessions") ?? afterProject(parts);
    if (known !== undefined) return join(root, ...known);
    const [name] = parts.slice(-1);
    return cwd === undefined || name === undefined ? undefined : join(root, projectOf(cwd), name);
  },
  command: (_, path) => (path === undefined ? undefined : ["pi", "--session", path]),
};

function afterProject(parts: readonly string[]): readonly string[] | undefined {
  const index = parts.slice(0, -1).findIndex((part) => /^--.*--$/.test(part));
  return index === -1 ? undefined : parts.slice(index);
}

function projectOf(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-")}--`;
}
