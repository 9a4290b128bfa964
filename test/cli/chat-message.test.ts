import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ChatPlace } from "./chat-place.ts";
import { Place } from "./run-command.ts";

const HELLO = [{ text: "Hello **" }, { text: "you**" }];

describe("chat -m", () => {
  it("sends one message and prints the answer as it is", async () => {
    await using place = await ChatPlace.open([HELLO]);
    const { code, stdout, stderr } = await place.run(["chat", "-m", "Hi"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Hello **you**\n", stderr: "" });
    const { messages } = await place.json(["sessions", "history", "cli:default"]);
    expect(messages.map(({ role, text }: { role: string; text: string }) => [role, text])).toEqual([
      ["user", "Hi"],
      ["assistant", "Hello **you**"],
    ]);
  });

  it("prints what is said before a tool and after it on two lines", async () => {
    await using place = await ChatPlace.open([
      [{ text: "Let me look." }, { tool: "current_time" }],
      [{ text: "Late." }],
    ]);
    expect((await place.run(["chat", "-m", "How late is it?"])).stdout).toBe("Let me look.\nLate.\n");
  });

  it.each([
    ["-m -", ["-m", "-"]],
    ["no option", []],
  ])("reads a pipe with %s", async (_, args) => {
    await using place = await ChatPlace.open([HELLO]);
    const { code, stdout } = await place.run(["chat", ...args], { input: "What\nis this?\n" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello **you**\n" });
    const { messages } = await place.json(["sessions", "history", "cli:default"]);
    expect(messages[0].text).toBe("What\nis this?");
  });

  it("prints the contract with --json, in the session and with the model that were named", async () => {
    await using place = await ChatPlace.open([HELLO]);
    const args = ["chat", "-m", "Hi", "--session", "work", "--model", "local/large"];
    const printed = await place.json(args);
    expect(Object.keys(printed)).toEqual(
      "key conversation branch model reply entries usage stopReason".split(" "),
    );
    expect(printed).toMatchObject({
      key: "cli:work",
      branch: "main",
      model: "local/large",
      reply: "Hello **you**",
      entries: [expect.any(String), expect.any(String)],
      usage: { inputTokens: 10, outputTokens: 5 },
      stopReason: "end",
    });
    expect(place.server.requests[0]?.body.model).toBe("large");
  });

  it("removes what a terminal would obey", async () => {
    await using place = await ChatPlace.open([
      [{ text: "a\u001b[2" }, { text: "Jb\u001b]0;x\u0007c\u202e" }],
    ]);
    expect((await place.run(["chat", "-m", "Hi"])).stdout).toBe("abc\n");
  });

  it.each([
    ["an empty message", ["-m", " "], "message"],
    ["an empty pipe", ["-m", "-"], "message"],
    ["an empty session", ["-m", "x", "--session", " "], "session"],
    ["a model that is not one", ["-m", "x", "--model", "gpt"], "name"],
  ])("refuses %s", async (_, args, field) => {
    await using place = await ChatPlace.open([]);
    const { code, error } = await place.failure(["chat", ...args]);
    expect([code, error.code, error.field]).toEqual([1, "VALIDATION_ERROR", field]);
  });

  it("keeps the message and reports a failure of the model", async () => {
    await using place = await ChatPlace.open([{ status: 401 }]);
    const { code, stdout, stderr } = await place.run(["chat", "-m", "Hi"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Error: .*local/);
    const { messages } = await place.json(["sessions", "history", "cli:default"]);
    expect(messages[0].text).toBe("Hi");
  });
});

function indexOf(place: ChatPlace): Record<string, object> {
  return JSON.parse(readFileSync(place.path("state", "agents", "main", "sessions", "sessions.json"), "utf8"));
}

describe("an agent in a chat", () => {
  it("has the tools of MCP servers, its workspace, and a place in the session index", async () => {
    const server = { command: process.execPath, args: [resolve("test/process/mcp-child.ts")] };
    await using place = await ChatPlace.open(
      [[{ tool: "notes_echo", input: { text: "tea" } }], [{ text: "Done." }], [{ text: "Again." }]],
      { mcp: { servers: { notes: server } }, agents: { defaults: { workspace: "~/agent" } } },
    );
    mkdirSync(place.path("agent"));
    writeFileSync(place.path("agent", "AGENTS.md"), "You like green tea.");
    const env = { HOME: place.folder };
    expect((await place.run(["chat", "-m", "Echo"], { env })).stdout).toBe("Done.\n");
    const [first, second] = place.server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("You like green tea.");
    expect(second).toContain('heard {\\"text');
    await place.run(["chat", "-m", "More"], { env });
    expect(indexOf(place)["cli:default"]).toMatchObject({
      inputTokens: 30,
      outputTokens: 15,
      totalTokens: 45,
      model: "small",
      modelProvider: "local",
      lastChannel: "cli",
    });
  });

  it("has a current place in the session index, with its sub-agents, also if it only failed", async () => {
    await using place = await ChatPlace.open(
      [
        [{ tool: "start_agent", input: { task: "Count" } }],
        [{ text: "Two." }],
        [{ text: "It is two." }],
        { status: 401 },
      ],
      { tools: { approvals: { tools: { start_agent: "allow" } } } },
    );
    await place.run(["chat", "-m", "How many?"]);
    expect((await place.run(["chat", "--session", "failed", "-m", "Hi"])).code).toBe(1);
    const [own, failed, child] = ["cli:default", "failed", "agent:main:subagent:"].map((wanted) =>
      Object.entries(indexOf(place)).find(([key]) => key.startsWith(wanted) || key.endsWith(wanted)),
    );
    expect(own?.[1]).toMatchObject({ totalTokens: 30 });
    expect(child?.[1]).toMatchObject({ totalTokens: 15, spawnedBy: "cli:default", spawnDepth: 1 });
    expect(failed?.[1]).toMatchObject({ totalTokens: 0 });
    const { findings } = await place.json(["doctor"]);
    expect(findings.filter(({ code }: { code: string }) => code === "index-differs")).toEqual([]);
  });

  it("uses the model of its session", async () => {
    await using place = await ChatPlace.open([[{ text: "One." }], [{ text: "Two." }]]);
    await place.run(["chat", "-m", "Hi"]);
    const path = place.path("state", "agents", "main", "sessions", "sessions.json");
    const index = JSON.parse(readFileSync(path, "utf8"));
    Object.assign(index["cli:default"], { providerOverride: "local", modelOverride: "large" });
    writeFileSync(path, JSON.stringify(index));
    await place.run(["chat", "-m", "Hi"]);
    expect(place.server.requests.map(({ body }) => body.model)).toEqual(["small", "large"]);
  });
});

describe("chat on a machine without a key", () => {
  /** No key of the machine that runs the tests counts. */
  const env = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", GEMINI_API_KEY: "", GOOGLE_API_KEY: "" };

  it("answers from what is stored, and says what it is", async () => {
    using place = new Place();
    const content = "We decided to paint the harbour wall green.";
    await place.json(["sessions", "append", "notes:harbour", "--role", "user", "--content", content]);
    const printed = await place.json(["chat", "-m", "What about the harbour?"], { env });
    expect(printed).toMatchObject({ key: "cli:default", model: "offline/recall", stopReason: "end" });
    expect(printed.reply).toContain("paint the harbour wall green");
    expect(printed.reply).toMatch(/not a language model/i);
  });
});
