import { join } from "node:path";
import type { ResumeRule } from "../../contract/format.ts";
import { partsAfter } from "../shared/path-parts.ts";

/** A later rollout of the same thread has its own id behind that of the thread. */
const ROLLOUT =
  /^rollout-(\d{4})-(\d\d)-(\d\d)T[\d-]+?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22})(?:_.*)?\.jsonl$/;

export const codexResume: ResumeRule = {
  tool: "Codex",
  place({ parts }, { home, environment }) {
    const root = join(environment.CODEX_HOME || join(home, ".codex"), "sessions");
    const known = partsAfter(parts, "sessions");
    if (known !== undefined) return join(root, ...known);
    const name = parts.at(-1) ?? "";
    const [, year, month, day] = ROLLOUT.exec(name) ?? [];
    // An archived thread is continued from among the others.
    return year && month && day ? join(root, year, month, day, name) : undefined;
  },
  command({ parts, sourceId }) {
    return ["codex", "resume", ROLLOUT.exec(parts.at(-1) ?? "")?.[4] ?? sourceId];
  },
};
