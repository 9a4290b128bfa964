import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { modelServer } from "../support/models/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const NAME = '{ name: "anthropic/claude-opus-5-5"';

/** The example, with our sources and with the scripted server as its provider. */
function program(baseUrl: string): string {
  const blocks = readFileSync("README.md", "utf8").matchAll(/```ts\n([\s\S]*?)```/g);
  const code = [...blocks].map(([, text = ""]) => text).find((text) => text.includes("new AgentLoop")) ?? "";
  expect(
    code
      .trim()
      .split("\n")
      .filter((line) => line !== "").length,
  ).toBeLessThanOrEqual(15);
  const models = { providers: { anthropic: { baseUrl, api: "anthropic-messages", models: [] } } };
  return code
    .replaceAll(/"colloquy(\/\w+)?"/g, (_, door = "") => `"${resolve(`src${door}/index.ts`)}"`)
    .replace(NAME, `${NAME}, models: ${JSON.stringify(models)}`);
}

it("the agent of the README has at most 15 lines, and remembers", async () => {
  await using server = await modelServer([
    [{ tool: "remember", input: { text: "They leave for Genoa on Friday." } }],
    [{ text: "Noted." }],
  ]);
  const folder = tempFolder();
  const file = join(folder, "agent.ts");
  writeFileSync(file, program(server.baseUrls.anthropic));
  const env = { ...process.env, ANTHROPIC_API_KEY: "key" };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, env });
  expect(stdout).toBe("Noted.\n");
  expect(JSON.stringify(server.requests[1]?.body)).toContain("tool_result");
});
