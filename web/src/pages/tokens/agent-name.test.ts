import { describe, expect, it } from "vitest";
import { agentName } from "./agent-name.ts";

describe("agentName", () => {
  it.each([
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
      "Chrome on Linux",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
      "Edge on Windows",
    ],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1", "Safari on iPhone"],
    ["colloquy/0.1.0", "colloquy"],
    [null, "Unknown program"],
  ])("%s is %s", (agent, name) => {
    expect(agentName(agent)).toBe(name);
  });
});
