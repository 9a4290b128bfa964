/** What the gateway hands to others: a service file, and a link for the browser. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasBrowser } from "../../src/cli/commands/gateway/browser.ts";
import { serviceFile } from "../../src/cli/service/user-service.ts";
import { has, lacks } from "../process/child-process.ts";
import { TerminalProcess } from "../support/processes/terminal-process.ts";
import { until } from "../support/until.ts";
import { Place } from "./run-command.ts";

const SERVICE = { name: "gateway", description: "Colloquy gateway" };
const isLinux = process.platform === "linux";

/** The words of ExecStart, as systemd reads them. */
function wordsOf(unit: string): string[] {
  const line = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "";
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ""]) =>
    word.replaceAll(/\\(.)/g, "$1").replaceAll("%%", "%").replaceAll("$$", "$"),
  );
}

describe.skipIf(lacks(isLinux, "units of systemd are for Linux"))("gateway run --install", () => {
  it("writes a unit that starts the gateway with the options that were given", async () => {
    const place = new Place();
    const env = { XDG_CONFIG_HOME: place.path("con fig") };
    const options = ["--port", "0", "--no-page", "--set", "models.default=offline"];
    const store = ["--store", `sqlite:${place.path("my store.db")}`];
    const { stdout } = await place.run(
      ["gateway", "run", "--install", "--json", "--state-dir", place.state, ...options, ...store],
      { env, bin: resolve("bin/colloquy.js") },
    );
    const { path } = JSON.parse(stdout) as { path: string };
    expect(path).toBe(join(env.XDG_CONFIG_HOME, "systemd/user/colloquy-gateway.service"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [program = "", ...words] = wordsOf(readFileSync(path, "utf8"));
    expect(words).toEqual(expect.arrayContaining(["gateway", "run", ...options, ...store]));
    const child = spawn(program, words, { cwd: "/", stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    expect(line).toMatch(/^Colloquy is at http:\/\/127\.0\.0\.1:\d+\./);
    expect(existsSync(place.path("my store.db"))).toBe(true);
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(0);
  });

  it.skipIf(lacks(has("systemd-analyze"), "units are checked by systemd-analyze"))(
    "writes a unit that systemd accepts",
    () => {
      const place = new Place();
      const words = [process.execPath, "/opt/a b/%n$HOME.js", "gateway", "run"];
      const path = place.path("colloquy.service");
      writeFileSync(path, serviceFile("linux", place.folder, { ...SERVICE, words })?.text ?? "");
      const { stderr, status } = spawnSync("systemd-analyze", ["verify", path], {
        encoding: "utf8",
      });
      expect({ status, stderr: stderr.split("\n").filter((line) => line.includes("colloquy")) }).toEqual({
        status: 0,
        stderr: [],
      });
    },
  );
});

describe("a launchd agent", () => {
  it("has the words of the command, in order, as XML", () => {
    const words = ["/opt/node", 'a & <b> "c"', "gateway", "run", "--port", "9000"];
    const { text = "", path } = serviceFile("darwin", "/Users/ada", { ...SERVICE, words }) ?? {};
    expect(path).toBe("/Users/ada/Library/LaunchAgents/org.colloquy.gateway.plist");
    const array = /<array>([\s\S]*)<\/array>/.exec(text)?.[1] ?? "";
    const read = [...array.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word = ""]) =>
      word.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
    );
    expect(read).toEqual(words);
  });
});

describe.skipIf(lacks(isLinux && has("script"), "a terminal is made by script"))("colloquy start", () => {
  const start = (place: Place, env: Readonly<Record<string, string>>, ...words: string[]) => {
    const folder = place.path("bin");
    mkdirSync(folder);
    const opener = join(folder, "xdg-open");
    writeFileSync(opener, `#!/bin/sh\nprintf '%s\\n' "$@" > '${place.path("opened")}'\n`);
    chmodSync(opener, 0o755);
    const command = [
      process.execPath,
      resolve("bin/colloquy.js"),
      "start",
      "--no-page",
      "--port",
      "0",
      ...words,
    ];
    return new TerminalProcess([...command, "--state-dir", place.state], {
      columns: 200,
      env: { CI: "", SSH_CONNECTION: "", DISPLAY: ":0", PATH: `${folder}:${process.env.PATH}`, ...env },
    });
  };

  it("opens the sign-in link in the browser, where there is one", async () => {
    const place = new Place();
    await using terminal = start(place, {});
    await terminal.shows("Sign in (once");
    await until(() => existsSync(place.path("opened")) && readFileSync(place.path("opened"), "utf8") !== "");
    const link = /http:\S+#sign-in=\S+/.exec(terminal.screen)?.[0];
    expect(readFileSync(place.path("opened"), "utf8")).toBe(`${link}\n`);
    terminal.type("\u0003");
    expect(await terminal.ended()).toBe(0);
  });

  it("does not open it if that is not wanted", async () => {
    const place = new Place();
    await using terminal = start(place, {}, "--no-open");
    await terminal.shows("Sign in (once");
    terminal.type("\u0003");
    await terminal.ended();
    expect(existsSync(place.path("opened"))).toBe(false);
  });
});

it.each([
  ["a terminal on a screen", { DISPLAY: ":0" }, "linux", true, true],
  ["a terminal on Wayland", { WAYLAND_DISPLAY: "wayland-0" }, "linux", true, true],
  ["a terminal on a Mac", {}, "darwin", true, true],
  ["a machine that builds", { DISPLAY: ":0", CI: "true" }, "linux", true, false],
  ["SSH", { DISPLAY: ":0", SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, "linux", true, false],
  ["a machine without a screen", {}, "linux", true, false],
  ["a pipe", { DISPLAY: ":0" }, "linux", false, false],
] as const)("knows whether there is a browser: %s", (_, env, platform, isTerminal, expected) => {
  expect(hasBrowser(env, platform, isTerminal)).toBe(expected);
});
