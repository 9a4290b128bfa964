import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelServer } from "../../test/support/models/model-server.ts";
import { type BenchRow, median, sized } from "../harness.ts";
import { installCommand } from "../installed-command.ts";
import { below } from "../rows.ts";

const ANSWERS = sized(9, 1);
const REACH_MS = 10;
/** Long enough for the request to have arrived and the command to wait. */
const PAUSE_MS = 100;

/** From the moment at which a provider sends its first token to the first character that the command prints. */
export async function firstToken(folder: string): Promise<BenchRow[]> {
  const command = installCommand(folder);
  const state = join(folder, "first-token-state");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const times: number[] = [];
  for (let round = 0; round < ANSWERS; round++) times.push(await latency(command, state, folder));
  return [below("first token of a provider to the first character on screen", median(times), REACH_MS, "ms")];
}

async function latency(command: string, state: string, folder: string): Promise<number> {
  let sentMs = 0;
  const until = new Promise<void>((resolve) => {
    setTimeout(async () => {
      while (server.requests.length === 0) await new Promise((wait) => setTimeout(wait, PAUSE_MS));
      await new Promise((wait) => setTimeout(wait, PAUSE_MS));
      sentMs = performance.now();
      resolve();
    });
  });
  await using server = await modelServer([[{ until }, { text: "Hello" }]]);
  const local = { baseUrl: server.baseUrls.openai, api: "openai-completions", models: [{ id: "small" }] };
  writeFileSync(
    join(state, "colloquy.json"),
    JSON.stringify({ models: { default: "local/small", providers: { local } } }),
    { mode: 0o600 },
  );
  return await new Promise((resolve, reject) => {
    const env = { ...process.env, COLLOQUY_STATE_DIR: state, NODE_COMPILE_CACHE: join(folder, "cache") };
    const child = spawn(process.execPath, [command, "chat", "-m", "Hi"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let shownMs: number | undefined;
    child.stdout.once("data", () => {
      shownMs = performance.now() - sentMs;
    });
    child.once("error", reject);
    child.once("close", () => (shownMs === undefined ? reject(new Error("No answer")) : resolve(shownMs)));
  });
}
