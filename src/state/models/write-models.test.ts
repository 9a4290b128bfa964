import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { type FileIo, systemIo } from "../../disk/file-io.ts";
import { writeModelsConfig } from "./write-models.ts";

const env = { ANTHROPIC_API_KEY: "sk-ant-canary-0123456789" };

describe("models.json", () => {
  it("is written for its owner, without secrets", async () => {
    const stateDir = tempFolder();
    const { path, changed } = await writeModelsConfig({ stateDir, agentId: "home", env });
    expect({ path, changed }).toEqual({ path: join(stateDir, "agents/home/models.json"), changed: true });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain("canary");
    expect(JSON.parse(text).providers.anthropic.models[0]).toMatchObject({ contextWindow: 1_000_000 });
    expect(readdirSync(join(path, ".."))).toEqual(["models.json"]);
  });

  it("is not rewritten when nothing changed, except for its permissions", async () => {
    const stateDir = tempFolder();
    const { path } = await writeModelsConfig({ stateDir, env });
    utimesSync(path, 1_000_000, 1_000_000);
    chmodSync(path, 0o644);
    const notices: string[] = [];
    const again = await writeModelsConfig({ stateDir, env, onNotice: (text) => notices.push(text) });
    expect(again.changed).toBe(false);
    expect(statSync(path)).toMatchObject({ mtimeMs: 1_000_000_000 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(notices).toHaveLength(1);
  });

  it("is rewritten when something changed, or another program wrote it", async () => {
    const stateDir = tempFolder();
    const { path } = await writeModelsConfig({ stateDir, env });
    const config = { models: { default: "anthropic/claude-haiku-5-5" } };
    expect((await writeModelsConfig({ stateDir, env, config })).changed).toBe(true);
    expect(JSON.parse(readFileSync(path, "utf8")).default).toBe("anthropic/claude-haiku-5-5");
    writeFileSync(path, "{");
    expect((await writeModelsConfig({ stateDir, env, config })).changed).toBe(true);
    expect(JSON.parse(readFileSync(path, "utf8")).default).toBe("anthropic/claude-haiku-5-5");
  });

  it("is unchanged when the disk is full or the config is invalid", async () => {
    const stateDir = tempFolder();
    const { path } = await writeModelsConfig({ stateDir, env });
    const before = readFileSync(path, "utf8");
    const full: FileIo = {
      ...systemIo,
      write: (file, bytes) => systemIo.write(file, bytes.subarray(0, 9), 0),
    };
    await expect(writeModelsConfig({ stateDir, env: {}, io: full })).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    await expect(writeModelsConfig({ stateDir, config: { models: 1 } })).rejects.toThrow(
      "models in the config",
    );
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(readdirSync(join(path, ".."))).toEqual(["models.json"]);
  });

  it("stays in its folder", async () => {
    await expect(writeModelsConfig({ stateDir: tempFolder(), agentId: "../x" })).rejects.toThrow(
      "The id of an agent",
    );
  });
});
