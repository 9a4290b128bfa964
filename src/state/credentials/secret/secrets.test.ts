import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { systemIo } from "../../../disk/file-io.ts";
import { systemRandom } from "../../../util/uuid.ts";
import type { Sealed } from "../types.ts";
import { KeyRing } from "./key-ring.ts";
import { runProgram } from "./run-program.ts";
import { describeSource, Secrets } from "./secrets.ts";

function open(env: Record<string, string> = {}, stateDir = tempFolder(), agentId?: string): Secrets {
  const options = { stateDir, io: systemIo, random: systemRandom, notice: () => {} };
  return new Secrets(new KeyRing({ ...options, env, platform: "none" }), env, systemRandom, agentId);
}

describe("a secret by reference", () => {
  it("comes from a variable", async () => {
    const secrets = open({ KEY: " sk-1\n", NONE: "" });
    expect(await secrets.get({ env: "KEY" }, "-")).toEqual({ ok: true, value: "sk-1" });
    expect(await secrets.get({ env: "NONE" }, "-")).toEqual({
      ok: false,
      reason: "the variable NONE is empty",
    });
    expect(await secrets.get({ env: "NOT" }, "-")).toEqual({
      ok: false,
      reason: "the variable NOT is not set",
    });
  });

  it.each(["toString", "constructor", "__proto__", "hasOwnProperty"])(
    "does not come from what every object has: %s",
    async (name) =>
      expect(await open().get({ env: name }, "-")).toEqual({
        ok: false,
        reason: `the variable ${name} is not set`,
      }),
  );

  it("comes from a file that only its owner can read", async () => {
    const secrets = open();
    const path = join(tempFolder(), "key");
    expect(await secrets.get({ file: path }, "-")).toMatchObject({
      reason: `the file ${path} does not exist`,
    });
    writeFileSync(path, "sk-canary-file\n", { mode: 0o600 });
    expect(await secrets.get({ file: path }, "-")).toEqual({ ok: true, value: "sk-canary-file" });
    for (const mode of [0o640, 0o604, 0o620, 0o660, 0o644]) {
      chmodSync(path, mode);
      const refused = await secrets.get({ file: path }, "-");
      expect(refused, mode.toString(8)).toEqual({
        ok: false,
        reason: `the file ${path} is open to others: run chmod 600`,
      });
    }
    chmodSync(path, 0o400);
    const link = join(tempFolder(), "link");
    symlinkSync(path, link);
    expect(await secrets.get({ file: link }, "-")).toMatchObject({ ok: true });
  });

  it("does not come from a folder, a pipe or a large file", async () => {
    const secrets = open();
    const folder = tempFolder();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", ["-m", "600", pipe]);
    const large = join(folder, "large");
    writeFileSync(large, "x".repeat(70_000), { mode: 0o600 });
    expect(await secrets.get({ file: folder }, "-")).toMatchObject({ reason: `${folder} is not a file` });
    expect(await secrets.get({ file: pipe }, "-")).toMatchObject({ reason: `${pipe} is not a file` });
    expect(await secrets.get({ file: large }, "-")).toMatchObject({ ok: false });
  });

  it("comes from a command that runs without a shell", async () => {
    const env = { PATH: process.env.PATH ?? "" };
    const secrets = open(env);
    const made = join(tempFolder(), "made");
    const value = `$(touch ${made}); \`touch ${made}\``;
    expect(await secrets.get({ command: ["printf", "%s\n", value] }, "-")).toEqual({ ok: true, value });
    expect(existsSync(made)).toBe(false);
  });

  it("is never part of the error of a failing command", async () => {
    const secrets = open({ PATH: process.env.PATH ?? "" });
    const command = ["sh", "-c", "echo canary-out; echo canary-err >&2; exit 7", "canary-arg"];
    expect(await secrets.get({ command }, "-")).toEqual({
      ok: false,
      reason: "the command sh exited with code 7",
    });
    expect(await secrets.get({ command: ["no-such-program"] }, "-")).toEqual({
      ok: false,
      reason: "the command no-such-program is not installed, or not in PATH",
    });
    expect(describeSource({ command: ["/usr/bin/op", "canary"] })).toEqual({ type: "command", name: "op" });
  });

  it("is sealed and unsealed, and a missing key is named", async () => {
    const secrets = open();
    const ref = await secrets.seal("sk-sealed", "a:b/apiKey");
    expect(JSON.stringify(ref)).not.toContain("sk-sealed");
    expect(await secrets.get(ref, "a:b/apiKey")).toEqual({ ok: true, value: "sk-sealed" });
    expect(await secrets.get(ref, "a:c/apiKey")).toMatchObject({
      reason: expect.stringContaining("damaged"),
    });
    expect(await open().get(ref, "a:b/apiKey")).toMatchObject({ reason: expect.stringContaining("its key") });
  });

  it("is sealed for one agent, and legacy sealed values can still be read", async () => {
    const state = tempFolder();
    const [ops, main] = [open({}, state, "ops"), open({}, state, "main")];
    const ref = (await ops.seal("sk-sealed", "a:b/apiKey")) as { sealed: Sealed };
    expect(await open({}, state, "ops").get(ref, "a:b/apiKey")).toEqual({ ok: true, value: "sk-sealed" });
    expect(await main.get(ref, "a:b/apiKey")).toEqual({
      ok: false,
      reason: "it was sealed for another agent; add the secret again",
    });
    const { agent: _, ...nobody } = ref.sealed;
    for (const sealed of [{ ...ref.sealed, agent: "main" }, nobody])
      expect(await main.get({ sealed }, "a:b/apiKey")).toMatchObject({ ok: false });
    const older = await open({}, state).seal("sk-older", "a:b/apiKey");
    expect(await main.get(older, "a:b/apiKey")).toEqual({ ok: true, value: "sk-older" });
  });
});

describe("another program", () => {
  const env = { PATH: process.env.PATH ?? "" };

  it("is stopped after the time limit, even if its children keep the pipe open", async () => {
    const start = performance.now();
    const result = await runProgram(["sh", "-c", "sleep 60 & sleep 60"], { env, timeoutMs: 200 });
    expect(result).toEqual({ ok: false, reason: "did not answer within 0.2 s" });
    expect(performance.now() - start).toBeLessThan(50_000);
  });

  it("has answered when it exits, even if a child keeps the pipe open", async () => {
    const start = performance.now();
    const result = await runProgram(["sh", "-c", "sleep 60 & echo canary"], { env, timeoutMs: 50_000 });
    expect(result).toEqual({ ok: true, output: "canary\n" });
    const failed = await runProgram(["sh", "-c", "sleep 60 & exit 3"], { env, timeoutMs: 50_000 });
    expect(failed).toEqual({ ok: false, reason: "exited with code 3" });
    expect(performance.now() - start).toBeLessThan(50_000);
  });

  it("is stopped when it prints too much", async () => {
    const result = await runProgram(["yes"], { env, timeoutMs: 50_000 });
    expect(result).toEqual({ ok: false, reason: "printed more than 65536 bytes" });
  });
});
