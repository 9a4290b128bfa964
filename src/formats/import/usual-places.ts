/** Where tools keep their conversations when nobody told them otherwise. */
import { existsSync } from "node:fs";
import { join } from "node:path";

export interface UsualPlace {
  /** For a person. */
  readonly tool: string;
  readonly path: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Those that exist. */
export function usualPlaces(home: string, environment: Environment): UsualPlace[] {
  const data = environment.XDG_DATA_HOME || join(home, ".local", "share");
  const places: readonly (readonly [string, string])[] = [
    ["Claude Code", join(environment.CLAUDE_CONFIG_DIR || join(home, ".claude"), "projects")],
    // The folder itself: the names of threads stand beside the sessions.
    ["Codex", environment.CODEX_HOME || join(home, ".codex")],
    ["pi", join(home, ".pi", "agent", "sessions")],
    ["OpenClaw", join(environment.OPENCLAW_STATE_DIR || join(home, ".openclaw"), "agents")],
    ["OpenClaw (older)", join(home, ".clawdbot", "agents")],
    ["OpenClaw (older)", join(home, ".moltbot", "agents")],
    ["OpenClaw (older)", join(home, ".moldbot", "agents")],
    ["Gemini CLI", join(home, ".gemini", "tmp")],
    ["opencode", join(data, "opencode")],
  ];
  return places.flatMap(([tool, path]) => (existsSync(path) ? [{ tool, path }] : []));
}
