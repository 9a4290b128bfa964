import { join } from "node:path";
import type { PlaceRoots, ResumeRule } from "../../contract/format.ts";
import { partsAfter } from "../shared/path-parts.ts";

/** A later rollout of the same thread has its own id behind that of the thread. */
const ROLLOUT =
  /^rollout-(\d{4})-(\d\d)-(\d\d)T[\d-]+?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22})(?:_.*)?\.jsonl$/;

export const codexResume: ResumeRule = {
  tool: "Codex",
  place({ parts }, roots) {
    const root = join(homeOf(roots), "sessions");
    const known = partsAfter(parts, "sessions");
    if (known !== undefined) return join(root, ...known);
    const name = parts.at(-1) ?? "";
    const [, year, month, day] = ROLLOUT.exec(name) ?? [];
    // An archive has no folders. What is no longer there is put back among the others.
    return year && month && day ? join(root, year, month, day, name) : undefined;
  },
  command({ parts, sourceId }) {
    return ["codex", "resume", ROLLOUT.exec(parts.at(-1) ?? "")?.[4] ?? sourceId];
  },
  archive: {
    place({ parts }, roots) {
      const name = parts.at(-1) ?? "";
      return ROLLOUT.test(name) ? join(homeOf(roots), "archived_sessions", name) : undefined;
    },
    command: (id) => ["codex", "unarchive", id],
  },
};

function homeOf({ home, environment }: PlaceRoots): string {
  return environment.CODEX_HOME || join(home, ".codex");
}
