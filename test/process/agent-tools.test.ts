import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AgentLoop, AgentTools, type AgentToolsOptions, agentFor, type Tool } from "../../src/agent/index.ts";
import { loadSessionStore } from "../../src/state/session-index/index.ts";
import { openStore } from "../../src/store/index.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { tempFolder } from "../support/temp-folder.ts";

async function place(config: JsonObject, files: Readonly<Record<string, string>> = {}) {
  const stateDir = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(stateDir, name)), { recursive: true });
    writeFileSync(join(stateDir, name), text);
  }
  const store = await openStore("ephemeral:");
  const notices: string[] = [];
  const open = (more: Partial<AgentToolsOptions> = {}): AgentTools => {
    const agent = agentFor({ channel: "cli" }, config);
    const onNotice = (text: string): void => void notices.push(text);
    const tools = new AgentTools({ config, agent, stateDir, channel: "cli", store, onNotice, ...more });
    onTestFinished(() => tools.close());
    return tools;
  };
  onTestFinished(() => store.close());
  return { stateDir, store, notices, open };
}

const names = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);
const tea = "---\nname: tea\ndescription: How to make tea\n---\nBoil.";
const dice = `export default () => ({
  tools: [{ name: "dice", description: "Roll", inputSchema: { type: "object" }, run: () => "4" }],
});`;

describe("the tools of an agent", () => {
  it("are built in, of extensions and of servers, as far as the config allows them", async () => {
    const { open, notices } = await place(
      {
        tools: { deny: ["test_d*", "test_h*", "test_l*"] },
        approvals: { channels: { cli: { tools: { dice: "ask" } } } },
        plugins: { entries: { dice: { enabled: true }, gone: { enabled: true } } },
        mcp: {
          servers: {
            wrong: {},
            test: { command: process.execPath, args: [resolve("test/process/mcp-child.ts"), "plain"] },
          },
        },
        skills: { entries: { rice: { enabled: false } } },
      },
      {
        "extensions/dice.mjs": dice,
        "skills/tea.md": tea,
        "agents/main/skills/rice.md": tea.replaceAll("tea", "rice"),
        "skills/bad.md": "",
      },
    );
    const agent = open();
    const tools = await agent.tools();
    expect(names(tools).slice(0, 5)).toEqual([
      "current_time",
      "search_conversations",
      "read_skill",
      "dice",
      "test_echo",
    ]);
    expect(names(tools).filter((name) => /^test_[dhl]/.test(name))).toEqual([]);
    const call = { id: "c1", signal: new AbortController().signal, depth: 0 };
    const roll = tools.find(({ name }) => name === "dice") as Tool;
    await expect(roll.run({}, call)).rejects.toThrow("cannot be asked here");
    const asking = (await agent.tools({ approve: async () => true })).find(
      ({ name }) => name === "dice",
    ) as Tool;
    expect(await asking.run({}, call)).toBe("4");
    expect(agent.skills().describe()).toBe("- tea: How to make tea\n");
    expect(notices).toEqual([
      expect.stringMatching(/bad\.md is not used: it does not begin with front matter/),
      expect.stringMatching(/^Extension gone: it is not used/),
      "mcp.servers.wrong must have a command or a url",
    ]);
  });

  it("start sub-agents, which have their own rules and are in the session index", async () => {
    const list = [
      { id: "main", subagents: { allowAgents: ["guest"] } },
      { id: "guest", tools: { allow: ["current_time"] } },
    ];
    const { open, store, stateDir } = await place({ agents: { list } });
    const guest = scriptedModel([["It is late."]]);
    const loopOf: AgentToolsOptions["loopOf"] = ({ id }) => ({ model: guest, system: `You are ${id}` });
    const agent = open({ loopOf });
    const input = { task: "What time is it?", agent: "guest" };
    const model = scriptedModel([[{ call: "start_agent", input }], ["Late."]]);
    const loop = new AgentLoop({ store, key: "cli:default", model, tools: () => agent.tools() });
    expect((await loop.run("Time?")).reply).toBe("Late.");
    expect(guest.requests[0]).toMatchObject({ system: "You are guest", tools: [{ name: "current_time" }] });
    const index = loadSessionStore({ agentDir: join(stateDir, "agents", "guest"), readonly: true });
    expect(Object.entries(index)).toEqual([
      [
        expect.stringMatching(/^agent:guest:subagent:/),
        expect.objectContaining({ spawnedBy: "cli:default", spawnDepth: 1, managedBy: "colloquy" }),
      ],
    ]);
  });
});
