/** An import that keeps watching, and the service that runs it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lacks } from "../process/child-process.ts";
import { until } from "../support/until.ts";
import { Place } from "./run-command.ts";

const line = (n: number) =>
  `${JSON.stringify({
    type: "user",
    uuid: `u${n}`,
    parentUuid: n === 1 ? null : `u${n - 1}`,
    sessionId: "s1",
    timestamp: `2026-01-01T00:00:0${n}Z`,
    message: { role: "user", content: `question ${n}` },
  })}\n`;

function wordsOf(unit: string): string[] {
  const text = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "";
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ""]) => word);
}

function start(words: readonly string[], stdout: "ignore" | "pipe" = "ignore"): ChildProcess {
  const [program = "", ...rest] = words;
  const child = spawn(program, rest, { cwd: "/", stdio: ["ignore", stdout, "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe.skipIf(lacks(process.platform === "linux", "units of systemd are for Linux"))(
  "import --watch --install",
  () => {
    it("sets up a service that imports, keeps a log, and is checked by the doctor", async () => {
      const place = new Place();
      const folder = place.path("their files");
      mkdirSync(folder);
      const file = join(folder, "s1.jsonl");
      writeFileSync(file, line(1));
      const env = { XDG_CONFIG_HOME: place.path("config") };
      const options = { env, bin: resolve("bin/colloquy.js") };
      const state = ["--state-dir", place.state];
      const installed = await place.run(
        ["import", folder, "--watch", "--install", "--json", ...state],
        options,
      );
      const { path } = JSON.parse(installed.stdout) as { path: string };
      expect(path).toBe(join(env.XDG_CONFIG_HOME, "systemd/user/colloquy-import.service"));
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const words = wordsOf(readFileSync(path, "utf8"));
      expect(words.slice(2)).toEqual(["import", "--watch", folder, ...state]);

      const doctor = async (): Promise<{ code: string; what: string; fix: string }[]> => {
        const { stdout } = await place.run(["doctor", "--json", ...state], options);
        return JSON.parse(stdout).findings;
      };
      const findings = async (): Promise<string[]> =>
        (await doctor()).map(({ code }) => code).filter((code) => code.startsWith("import-"));
      expect((await doctor()).find(({ code }) => code === "import-stopped")).toMatchObject({
        what: expect.stringContaining("was never started"),
        fix: "Enable it: systemctl --user enable --now colloquy-import",
      });

      const log = join(place.state, "import.log");
      const logged = (): string => (existsSync(log) ? readFileSync(log, "utf8") : "");
      const events = (): string[] =>
        [...logged().matchAll(/"event":"(\w+)"/g)].map(([, event = ""]) => event);
      const first = start(words);
      await until(() => events().includes("imported"));
      expect(await findings()).toEqual([]);
      appendFileSync(file, line(2));
      await until(() => events().filter((event) => event === "imported").length === 2);
      // A torn line is read again in each pass, and adds nothing.
      writeFileSync(join(folder, "torn.jsonl"), line(1).replaceAll("1", "2") + line(2).slice(0, 40));
      await until(() => events().filter((event) => event === "imported").length === 3);
      appendFileSync(file, line(3));
      await until(() => events().filter((event) => event === "imported").length === 4);
      expect(JSON.parse(logged().split("\n").at(-2) ?? "")).toMatchObject({ conversations: 1, messages: 1 });
      first.kill("SIGKILL");
      await once(first, "close");
      expect((await doctor()).find(({ code }) => code === "import-stopped")?.fix).toBe(
        `${log} says what happened. Start it again: systemctl --user enable --now colloquy-import`,
      );

      const second = start(words);
      await until(() => events().filter((event) => event === "started").length === 2);
      expect(await findings()).toEqual([]);
      second.kill("SIGTERM");
      expect((await once(second, "close"))[0]).toBe(0);
      expect(events().slice(-2)).toEqual(["started", "stopped"]);
    });

    it("says how to restart a service that is there, and what to run where systemd is not", async () => {
      const place = new Place();
      const env = { XDG_CONFIG_HOME: place.path("config") };
      const install = async (...options: string[]): Promise<string> =>
        (await place.run(["import", place.folder, "--watch", "--install", ...options], { env })).stdout;
      const first = await install();
      expect(first).not.toContain("restart");
      const isRunning = existsSync("/run/systemd/system");
      expect(/^systemd is not running here\. .*:\n.* import --watch /m.test(first)).toBe(!isRunning);
      expect(await install("--from", "codex")).toContain(
        "\nIf it is running: systemctl --user daemon-reload && systemctl --user restart colloquy-import\n",
      );
    });
  },
);

it("watches places of tools that were not used yet", async () => {
  const place = new Place();
  const env = { HOME: place.folder, XDG_CONFIG_HOME: place.path("config") };
  const args = ["import", "--watch", "--install", "--yes", "--json"];
  const { stdout } = await place.run(args, { env, bin: resolve("bin/colloquy.js") });
  const { path, command } = JSON.parse(stdout) as { path: string | null; command?: string };
  const service = path === null ? command : readFileSync(path, "utf8");
  expect(service).toContain(join(place.folder, ".codex"));
  expect(service).toContain(join(place.folder, ".claude", "projects"));
});

it("says that a later pass takes in the rest of a file that may not be complete yet", async () => {
  const place = new Place();
  mkdirSync(place.path("sources"));
  writeFileSync(place.path("sources", "s1.jsonl"), `${line(1)}{"type":"us`);
  const words = ["import", place.path("sources"), "--watch", "--state-dir", place.state];
  const watch = start([process.execPath, resolve("bin/colloquy.js"), ...words], "pipe");
  let told = "";
  watch.stdout?.on("data", (piece) => {
    told += String(piece);
  });
  await until(() => told.includes("takes in the rest"));
  expect(told).toContain("1 file may not be complete yet. A later pass takes in the rest.\n");
});

it("names the places that it waits for, those of tools that nobody uses in one line", async () => {
  const place = new Place();
  const env = { HOME: place.folder };
  const notes = async (...paths: string[]): Promise<string[]> => {
    const { stderr } = await place.run(["import", "--watch", "--install", ...paths], { env });
    return stderr.split("\n").filter((text) => text.startsWith("Nothing at"));
  };
  const [codex, legacy, typed] = [".codex", ".moltbot/agents", "typed"].map((name) => place.path(name));
  expect(await notes(place.state, codex ?? "", legacy ?? "", typed ?? "")).toEqual([
    `Nothing at ${place.state} yet; it will be imported once it is there.`,
    `Nothing at ${typed} yet; it will be imported once it is there.`,
    "Nothing at 2 places of other tools yet; they will be imported once they are there.",
  ]);
  expect(await notes(codex ?? "")).toEqual([
    `Nothing at ${codex} yet; it will be imported once it is there.`,
  ]);
});

it("refuses --install without --watch", async () => {
  const place = new Place();
  const { code, stderr } = await place.run(["import", place.folder, "--install"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--install requires --watch");
});
