/**
 * A gateway as a process of its own, so that a test can kill it: `gateway-child.ts <state folder> <port> <model server> <more>`.
 * It prints its address, and a sign-in link for each line that it reads.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freshPage } from "../../scripts/build-page.ts";
import { Agents } from "../../src/channel/setup/agents.ts";
import { Auth } from "../../src/gateway/auth/auth.ts";
import { openGateway } from "../../src/gateway/gateway.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import { openStore } from "../../src/store/open.ts";
import type { SceneOptions } from "./scene.ts";

const [stateDir = "", port = "0", baseUrl = "", more = "{}"] = process.argv.slice(2);
const { hosts, config: given } = JSON.parse(more) as SceneOptions;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const store = await openStore(`sqlite:${join(stateDir, "store.db")}`, { onProblem: () => {} });
const models = [
  { id: "small", contextWindow: 32_000 },
  { id: "large", contextWindow: 200_000 },
];
const config = {
  models: { default: "local/small", providers: { local: { baseUrl, api: "openai-completions", models } } },
  ...given,
};
// The pages that look at the installation find what runs.
writeFileSync(join(stateDir, "colloquy.json"), JSON.stringify(config, null, 2), { mode: 0o600 });
const credentials = openCredentials({ stateDir, env: {} });
const agents = new Agents({ store, config, env: {}, credentials, stateDir, onNotice: () => {} });
const auth = await Auth.open({ stateDir, config: {} });
const gateway = await openGateway({
  agents,
  auth,
  port: Number(port),
  ...(hosts && { hosts }),
  version: "1.0.0",
  page: await freshPage(),
});
say(gateway.url);
createInterface({ input: process.stdin })
  .on("line", () => say(auth.signInLink(gateway.url)))
  // The test has ended.
  .on("close", () => process.exit());
