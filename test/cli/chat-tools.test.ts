import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ChatPlace } from "./chat-place.ts";

const DICE = `export default () => ({
  tools: [{ name: "dice", description: "Roll", inputSchema: { type: "object" }, run: () => "You rolled 4" }],
});`;
const TEA = "---\nname: tea\ndescription: How to make tea\n---\nBoil the water.";
const server = { command: process.execPath, args: [resolve("test/process/mcp-child.ts"), "plain"] };

describe("the tools of a chat", () => {
  it("are those of servers, extensions and skills that the config names", async () => {
    const config = {
      mcp: { servers: { test: server, gone: { command: "/nowhere/at/all" } } },
      plugins: { entries: { dice: { enabled: true } } },
      approvals: { tools: { test_grow: "ask" } },
    };
    await using place = await ChatPlace.open(
      [
        [
          { tool: "test_echo", input: { a: 1 }, id: "c1" },
          { tool: "dice", id: "c2" },
          { tool: "read_skill", input: { name: "tea" }, id: "c3" },
          { tool: "test_grow", id: "c4" },
        ],
        [{ text: "Done." }],
      ],
      config,
    );
    for (const [name, text] of [
      ["extensions/dice.mjs", DICE],
      ["skills/tea.md", TEA],
    ] as const) {
      mkdirSync(dirname(join(place.state, name)), { recursive: true });
      writeFileSync(join(place.state, name), text);
    }
    const { code, stdout, stderr } = await place.run(["chat", "-m", "Go"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr).toContain("The MCP server gone failed: /nowhere/at/all cannot be started (ENOENT)");
    const [first, second] = place.server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("- tea: How to make tea");
    expect(second).toContain('heard {\\"a\\":1}');
    expect(second).toContain("You rolled 4");
    expect(second).toContain("Boil the water.");
    expect(second).toContain("The tool test_grow did not run: it needs the approval of a user");
  });
});
