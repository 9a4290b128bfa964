import { resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type HttpSettings,
  McpTools,
  type ProcessSettings,
  type Tool,
  type ToolOutput,
} from "../../src/agent/index.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { mcpHttpServer } from "../support/servers/mcp-http-server.ts";
import { until } from "../support/until.ts";

const CHILD = resolve("test/process/mcp-child.ts");
const KEY = "canary-5f3e9a7c21";

function child(manner: string, more: Partial<ProcessSettings> = {}): ProcessSettings {
  return { name: "test", command: process.execPath, args: [CHILD, manner], env: { API_KEY: KEY }, ...more };
}

class Servers {
  readonly notices: string[] = [];
  readonly mcp: McpTools;

  constructor(...settings: readonly (ProcessSettings | HttpSettings)[]) {
    this.mcp = new McpTools(settings, {
      onNotice: (text) => void this.notices.push(text),
      taken: ["test_fail"],
    });
    onTestFinished(() => this.mcp.close());
  }

  async names(): Promise<string[]> {
    return (await this.mcp.tools()).map(({ name }) => name);
  }

  async run(
    name: string,
    input: JsonObject = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ToolOutput> {
    const tool = (await this.mcp.tools()).find((one) => one.name.startsWith(name)) as Tool;
    return tool.run(input, { id: "c1", signal, depth: 0 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("an MCP server as a process", () => {
  it("becomes tools, with names that providers accept and no other tool has", async () => {
    const servers = new Servers(child("plain"));
    expect(await servers.names()).toEqual([
      "test_echo",
      "test_picture",
      "test_environment",
      expect.stringMatching(/^test_fail_[0-9a-f]{8}$/),
      "test_large",
      "test_hang",
      "test_die",
      "test_ask",
      "test_grow",
      expect.stringMatching(/^test_odd_name_[0-9a-f]{8}$/),
    ]);
    expect(await servers.run("test_echo", { a: [1] })).toBe('heard {"a":[1]}');
    expect(await servers.run("test_odd")).toBe("This is odd name!");
    expect(await servers.run("test_picture")).toEqual([
      { type: "text", text: "Look:" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: expect.any(String) } },
    ]);
    expect(servers.notices).toEqual([]);
  });

  it("has the environment of its settings and no other, and its secrets are not shown", async () => {
    process.env.OTHER_SERVICE_KEY = "not-for-servers";
    onTestFinished(() => void delete process.env.OTHER_SERVICE_KEY);
    const servers = new Servers(child("plain"));
    const environment = (await servers.run("test_environment")) as string;
    expect(JSON.parse(environment)).toMatchObject({ API_KEY: "[redacted]", PATH: process.env.PATH });
    expect(environment).not.toContain("not-for-servers");
    await expect(servers.run("test_fail")).rejects.toThrow("It failed with [redacted]");
  });

  it("is read although it prints other things", async () => {
    expect(await new Servers(child("noisy")).run("test_echo")).toBe("heard {}");
  });

  it("gets no answer when it asks for the model, and its tool goes on", async () => {
    expect(await new Servers(child("plain")).run("test_ask")).toMatch(/^Refused: .*(?:sampling|not found)/i);
  });

  it("may change its tools", async () => {
    const servers = new Servers(child("plain"));
    expect(await servers.run("test_grow")).toBe("grown");
    let names: string[] = [];
    await expect.poll(async () => (names = await servers.names())).toContain("test_new");
    expect(names).toHaveLength(11);
    expect(await servers.run("test_new")).toBe("This is new");
  });

  it("that cannot be started, hangs or ends at once is a notice, and costs its own tools only", async () => {
    const servers = new Servers(
      child("silent", { name: "silent", startTimeoutMs: 300 }),
      child("broken", { name: "broken" }),
      { name: "missing", command: "/nowhere/at/all", env: { API_KEY: KEY } },
      child("plain"),
    );
    expect(await servers.run("test_echo")).toBe("heard {}");
    expect(servers.notices.toSorted()).toEqual([
      "The MCP server broken failed: It ended with code 1: Cannot read my settings",
      "The MCP server missing failed: /nowhere/at/all cannot be started (ENOENT)",
      "The MCP server silent failed: It did not answer within 0.3 s",
    ]);
    // They are not tried again at once.
    await servers.names();
    expect(servers.notices).toHaveLength(3);
  });

  it("that hangs in a call makes the call fail, and can be called again", async () => {
    const servers = new Servers(child("plain", { callTimeoutMs: 200 }));
    await expect(servers.run("test_hang")).rejects.toThrow(
      "The MCP server test failed: It did not answer within 0.2 s",
    );
    await expect.poll(() => servers.run("test_echo").catch(String)).toBe("heard {}");
    const stop = new AbortController();
    const slow = new Servers(child("plain"));
    await slow.names();
    const hanging = slow.run("test_hang", {}, stop.signal);
    setTimeout(() => stop.abort(new Error("stopped")), 20);
    await expect(hanging).rejects.toThrow("stopped");
  });

  it("that dies in a call makes the call fail, and is started again by the next", async () => {
    const servers = new Servers(child("plain"));
    await expect(servers.run("test_die")).rejects.toThrow(
      "The MCP server test failed: It ended with code 3: Out of tea, [redacted: known value]",
    );
    expect(servers.notices).toHaveLength(1);
    expect(JSON.stringify(servers.notices)).not.toContain(KEY);
    expect(await servers.run("test_echo")).toBe("heard {}");
  });

  it("that sends 50 MB makes the call fail, and is started again by the next", async () => {
    const servers = new Servers(child("plain"));
    await expect(servers.run("test_large")).rejects.toThrow("It sent more than 16.0 MB at once");
    expect(await servers.run("test_echo")).toBe("heard {}");
  });

  it("is ended when it is closed, with the processes that it started, even if it refuses", async () => {
    const servers = new Servers(child("stubborn"));
    const grandchild = Number(JSON.parse((await servers.run("test_environment")) as string).GRANDCHILD);
    expect(isAlive(grandchild)).toBe(true);
    await servers.mcp.close();
    await until(() => !isAlive(grandchild));
    expect(servers.notices).toEqual([]);
    await expect(servers.run("test_echo")).rejects.toThrow("is closed");
  });
});

describe("an MCP server whose owner ends without closing it", () => {
  const owner = async (manner: string): Promise<readonly [LineProcess, number]> => {
    const started = new LineProcess(resolve("test/process/mcp-owner-child.ts"), [CHILD, manner]);
    await until(() => started.lines.length > 0);
    return [started, Number(started.lines[0])];
  };

  it("is ended with it, however stubborn it is", async () => {
    const [process, grandchild] = await owner("stubborn");
    expect(isAlive(grandchild)).toBe(true);
    process.write("exit");
    await process.closed;
    await until(() => !isAlive(grandchild));
  });

  it("ends by itself if the owner was killed", async () => {
    const [process, server] = await owner("plain");
    expect(isAlive(server)).toBe(true);
    await process.kill();
    await until(() => !isAlive(server));
  });
});

describe("an MCP server on HTTP", () => {
  it("becomes tools, gets its headers with every request, and a goodbye", async () => {
    const { url, requests, sessions } = await mcpHttpServer();
    const servers = new Servers({ name: "web", url, headers: { authorization: `Bearer ${KEY}` } });
    expect(await servers.run("web_echo", { a: 1 })).toBe('heard {"a":1}');
    expect(await servers.run("web_ask")).toMatch(/^Refused/);
    await servers.run("web_grow");
    await expect.poll(() => servers.names()).toContain("web_new");
    await servers.mcp.close();
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${KEY}`]));
    expect(sessions.size).toBe(0);
    expect(servers.notices).toEqual([]);
  });

  it("that hangs or sends 50 MB makes the call fail, and can be called again", async () => {
    const { url } = await mcpHttpServer();
    const servers = new Servers({ name: "web", url, callTimeoutMs: 500 });
    await expect(servers.run("web_hang")).rejects.toThrow(
      "The MCP server web failed: It did not answer within 0.5 s",
    );
    const patient = new Servers({ name: "web", url });
    await expect(patient.run("web_large")).rejects.toThrow("web failed: It sent more than 16.0 MB at once");
    await expect.poll(() => servers.run("web_echo").catch(String)).toBe("heard {}");
  });

  it("is not asked elsewhere than at its URL, and only if that is safe", async () => {
    const target = await mcpHttpServer();
    const { url } = await mcpHttpServer(target.url);
    const servers = new Servers(
      { name: "redirected", url },
      { name: "plain", url: "http://example.com/mcp" },
      { name: "gone", url: "http://127.0.0.1:1/mcp", headers: { authorization: KEY } },
    );
    expect(await servers.names()).toEqual([]);
    expect(servers.notices.toSorted()).toEqual([
      expect.stringMatching(/^The MCP server gone failed: .*cannot be reached/),
      expect.stringMatching(/^The MCP server plain failed: .*must be https/),
      expect.stringMatching(/^The MCP server redirected failed: .*redirect/),
    ]);
    expect(target.requests).toEqual([]);
  });
});
