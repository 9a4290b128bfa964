/** Codex 0.98 writes a thread with a turn that is rolled back, and 0.166 migrates it to its own form. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppServer, CODEX_CONFIG, PICTURE } from "./codex.ts";
import { run } from "./command.ts";

export async function drive(_: string, tools: string): Promise<void> {
  mkdirSync("/home/user/.codex", { recursive: true });
  writeFileSync("/home/user/.codex/config.toml", CODEX_CONFIG);
  writeFileSync("picture.png", Buffer.from(PICTURE, "base64"));
  const server = await AppServer.start(join(tools, "codex-0.98/node_modules/.bin/codex"));
  const thread = await server.thread("thread/start", { cwd: process.cwd() });
  const command = '@tool exec_command {"cmd":"echo one"}';
  await server.turn(thread, `First turn @think Where am I? ${command} @next @say One line.`);
  await server.turn(thread, "Second turn, rolled back @say Second answer, rolled back.");
  await server.call("thread/rollback", { threadId: thread, numTurns: 1 });
  await server.turn(thread, "Second turn again @say Second answer again.");
  const compacted = server.until("turn/completed");
  await server.call("thread/compact/start", { threadId: thread });
  await compacted;
  await server.turn(thread, [{ type: "localImage", path: join(process.cwd(), "picture.png") }]);
  await server.turn(thread, "Last turn @say Last answer.");
  server.end();
  run(join(tools, "codex/node_modules/.bin/codex"), ["migrate-rollouts", "--apply"]);
}
