/** A real gateway with its page in a real browser, signed in as the owner. */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { freshPage } from "../../scripts/build-page.ts";
import type { Permission } from "../../src/gateway/wire/auth.ts";
import { openStore } from "../../src/store/open.ts";
import { openPlace, type Place } from "../gateway/place.ts";
import { openBrowser } from "./open-browser.ts";

export interface BrowserPlace extends AsyncDisposable {
  readonly place: Place;
  /** The home folder that the gateway looks for tools in. */
  readonly home: string;
  readonly page: Page;
  /** What the browser complained about. */
  readonly problems: readonly string[];
  /** Another window, signed in with this permission. */
  window(options?: BrowserContextOptions, permission?: Permission): Promise<Page>;
  /** Show a page such as `trash`, or `c/<id>`. */
  show(name: string, page?: Page): Promise<void>;
}

/** `seed` fills the store before the gateway opens it. */
export async function openBrowserPlace(
  seed: (location: string) => Promise<unknown> = async () => {},
): Promise<BrowserPlace> {
  // For all tests of a file: folders of a test are removed after it.
  const home = mkdtempSync(join(tmpdir(), "colloquy-browser-"));
  const stateDir = join(home, ".colloquy");
  mkdirSync(stateDir, { mode: 0o700 });
  const projects = join(home, ".claude", "projects", "garden");
  cpSync("test/fixtures/claude-code", projects, { recursive: true });
  appendFileSync(join(projects, "odd-records.jsonl"), "this is not a record\n");
  const location = `sqlite:${join(stateDir, "store.db")}`;
  await seed(location);
  // A test may hold the store for as long as a browser takes to look at it.
  const store = await openStore(location, { lockWaitMs: 60_000 });
  const place = await openPlace({}, { store, stateDir, page: await freshPage(), env: { HOME: home } });
  const browser = await openBrowser();
  const problems: string[] = [];
  const url = place.gateway.url;
  const window = async (
    options: BrowserContextOptions = {},
    permission: Permission = "admin",
  ): Promise<Page> => {
    const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", ...options });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => {
      const text = `${message.text()} ${message.location().url}`;
      if (message.type() === "error" && !isExpected(text)) problems.push(text);
    });
    // Cookies of the context, as a sign-in on the page would set them.
    await context.request.post(`${url}/auth/token`, {
      data: { token: place.secrets.get(permission), cookies: true },
      headers: { origin: url },
    });
    return page;
  };
  const page = await window({ viewport: { width: 1440, height: 900 } });
  return {
    place,
    home,
    page,
    problems,
    window,
    show: async (name, shown = page) => {
      await shown.goto("about:blank");
      await shown.goto(`${url}/#/${name}`);
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await place[Symbol.asyncDispose]();
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Browsers report every answer with an error status, also of what a test breaks or purges. */
function isExpected(text: string): boolean {
  return /status of (?:400|503)|status of 404 .*\/conversations\//.test(text);
}
