/** Debian's Chromium: one for all files of a test run, each of which has its own contexts. */
import { type Browser, type BrowserServer, chromium } from "playwright-core";

/** Leads here too, but over plain HTTP a browser trusts only loopback: much is turned off on a page from there. */
export const UNTRUSTED_HOST = "colloquy.test";

const OPTIONS = {
  executablePath: process.env.COLLOQUY_CHROMIUM ?? "/usr/bin/chromium",
  // Tests run as root in containers, where the sandbox does not work.
  args: ["--no-sandbox", `--host-resolver-rules=MAP ${UNTRUSTED_HOST} 127.0.0.1`],
};
/** Workers inherit the environment. */
const ADDRESS = "COLLOQUY_TEST_BROWSER";

export async function serveBrowser(): Promise<BrowserServer> {
  const server = await chromium.launchServer(OPTIONS);
  process.env[ADDRESS] = server.wsEndpoint();
  return server;
}

/** Closing it closes its contexts. Without a server, it is one of its own. */
export function openBrowser(): Promise<Browser> {
  const address = process.env[ADDRESS];
  return address === undefined ? chromium.launch(OPTIONS) : chromium.connect(address);
}
