import { join } from "node:path";
import { splitMark } from "../../../key/copies.ts";
import { filledIn } from "../../../util/values.ts";
import type { ResumeRule } from "../../contract/format.ts";

const AGENT = /^[\w-]{1,64}$/;
const SESSION = /^[\w-]{1,128}$/;

export const openclawResume: ResumeRule = {
  tool: "OpenClaw",
  // An archive is put back under the name that its session had.
  place({ sourceId, about }, { home, environment }) {
    const agent = filledIn(about.agent) ?? "main";
    if (!AGENT.test(agent) || !SESSION.test(sourceId)) return undefined;
    const root = environment.OPENCLAW_STATE_DIR || join(home, ".openclaw");
    return join(root, "agents", agent, "sessions", `${sourceId}.jsonl`);
  },
  // The store writes some keys in another way, and makes one for a session that OpenClaw has reset or deleted.
  // Of one that was imported before that, it has marked the key, which leads to another session now.
  command({ key, about }) {
    const known = filledIn(about.session_key) ?? key;
    const isMade = known === null || known.startsWith("openclaw:");
    const isOfOther = key !== null && splitMark(key)[1] !== "";
    return isMade || isOfOther ? undefined : ["openclaw", "tui", "--session", known];
  },
  note: "OpenClaw finds the session only if its own index still names it",
};
