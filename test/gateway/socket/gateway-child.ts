/** A gateway in a process that can be killed. Prints its address and a token. */
import { Agents } from "../../../src/channel/setup/agents.ts";
import { Auth } from "../../../src/gateway/auth/auth.ts";
import { openGateway } from "../../../src/gateway/gateway.ts";
import { openCredentials } from "../../../src/state/credentials/index.ts";
import { openStore } from "../../../src/store/open.ts";

const [target = "", stateDir = "", baseUrl = ""] = process.argv.slice(2);
const store = await openStore(target);
const local = { baseUrl, api: "openai-completions", models: [{ id: "small" }] };
const agents = new Agents({
  store,
  stateDir,
  env: {},
  credentials: openCredentials({ stateDir, env: {} }),
  onNotice: () => {},
  config: { models: { default: "local/small", providers: { local } } },
});
const auth = await Auth.open({ stateDir, config: {} });
const { secret } = await auth.createToken({
  user: "owner",
  name: "test",
  permission: "admin",
  scope: null,
  expiresAt: null,
});
const { url } = await openGateway({ agents, auth, port: 0, version: "1" });
console.log(`${url} ${secret}`);
