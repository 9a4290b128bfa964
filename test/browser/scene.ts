/** A gateway over a real store, in its own process, and a browser that is signed in to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { modelServer, type Script } from "../support/models/model-server.ts";
import { openBrowser, UNTRUSTED_HOST } from "./open-browser.ts";

export interface Scene extends AsyncDisposable {
  readonly url: string;
  /** In a home folder of its own. */
  readonly stateDir: string;
  /** Signs in once. */
  link(): Promise<string>;
  /** A new conversation. A test that begins one can be tried again: what a failed try left does not matter. */
  begin(): Promise<string>;
  /** A page that is signed in, at this fragment. With options, in a new context; `baseURL` is another way to the gateway. */
  open(place?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Errors of scripts and refusals of the content security policy, in all pages. */
  readonly problems: readonly string[];
  /** With SIGKILL, as a power cut. */
  kill(): Promise<void>;
  /** Again, at the same address. */
  start(): Promise<void>;
}

export interface SceneOptions {
  /** More names that the gateway answers to. */
  readonly hosts?: readonly string[];
  /** More of the config than the models. */
  readonly config?: JsonObject;
}

export async function openScene(
  seed: (store: Store) => Promise<unknown>,
  script: Script = () => [{ text: "An answer." }],
  { hosts = [], config = {} }: SceneOptions = {},
): Promise<Scene> {
  // Folders of `tempFolder` are removed after each test, and a scene serves many.
  const home = mkdtempSync(join(tmpdir(), "colloquy-browser-"));
  const stateDir = join(home, ".colloquy");
  mkdirSync(stateDir, { mode: 0o700 });
  const target = `sqlite:${join(stateDir, "store.db")}`;
  const store = await openStore(target);
  await seed(store);
  await store.close();
  const models = await modelServer(script);
  const browser = await openBrowser();
  const problems: string[] = [];
  const more = JSON.stringify({ hosts: [UNTRUSTED_HOST, ...hosts], config });
  let running = await startGateway(stateDir, "0", models.baseUrls.openai, more);
  const { url } = running;
  const shared = await signedIn(browser, await running.link(), {});
  return {
    url,
    stateDir,
    problems,
    link: () => running.link(),
    begin: () => begin(target),
    open: async (place = "#/", options) => {
      const context = options ? await signedIn(browser, await running.link(), options) : shared;
      const page = await context.newPage();
      watch(page, problems);
      await page.goto(`${options?.baseURL ?? url}/${place}`);
      await page.locator(".side").waitFor({ state: "attached" });
      return page;
    },
    kill: () => running.kill(),
    start: async () => {
      running = await startGateway(stateDir, new URL(url).port, models.baseUrls.openai, more);
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await running.kill();
      await models.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function begin(target: string): Promise<string> {
  await using store = await openStore(target);
  const conversation = await store.create({ title: "A chat" });
  await conversation.append([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hello to you." },
  ]);
  return conversation.id;
}

interface Running {
  readonly url: string;
  /** Each can be used once. */
  link(): Promise<string>;
  kill(): Promise<void>;
}

async function startGateway(
  stateDir: string,
  port: string,
  modelUrl: string,
  more: string,
): Promise<Running> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, "gateway-child.ts"), stateDir, port, modelUrl, more],
    { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, HOME: dirname(stateDir) } },
  );
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? "";
  const url = await next();
  return {
    url,
    link: () => {
      child.stdin?.write("link\n");
      return next();
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

function watch(page: Page, problems: string[]): void {
  page.setDefaultTimeout(15_000);
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (line) => {
    if (/content security policy/i.test(line.text())) problems.push(line.text());
  });
}

async function signedIn(
  browser: Browser,
  link: string,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  await page.goto(options.baseURL === undefined ? link : link.replace(/^https?:\/\/[^/]+/, options.baseURL));
  await page.getByRole("navigation", { name: "Conversations" }).waitFor();
  await page.close();
  return context;
}

/** Runs `in-page/<name>.js`, a function, in the page. */
export async function runInPage<T>(page: Page, name: string, argument: unknown): Promise<T> {
  const text = readFileSync(join(import.meta.dirname, "in-page", `${name}.js`), "utf8")
    .trim()
    .replace(/;$/, "");
  return page.evaluate(`(${text})(${JSON.stringify(argument)})`);
}
