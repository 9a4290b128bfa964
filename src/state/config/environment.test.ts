import { chmodSync, existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import { until } from "../../../test/support/until.ts";
import type { LoadedConfig } from "./config-build.ts";
import { expand } from "./variables.ts";

const ui = (text: string): string => `{ ui: { a: ${JSON.stringify(text)} } }`;

describe("variables", () => {
  const known: Readonly<Record<string, string>> = { A: "1", B_2: "two" };
  it.each([
    [`\${A}`, "1"],
    [`x\${A}y\${B_2}z`, "x1ytwoz"],
    [`$\${A}`, `\${A}`],
    [`$\${A}\${A}`, `\${A}1`],
    [`$A {A} \${} \${A-b} \${ A }`, `$A {A} \${} \${A-b} \${ A }`],
    [`\${lower} \${Mixed}`, `\${lower} \${Mixed}`],
    [`$\${lower}`, `$\${lower}`],
  ])("are replaced: %s", (text, expected) => {
    expect(expand(text, (name) => known[name]).text).toBe(expected);
  });

  it("are taken from the environment, then .env, then env.vars", async () => {
    using folder = new TrialFolder({
      "colloquy.json": `{ ui: { v: ['\${A}', '\${B}', '\${C}'] }, env: { vars: { A: '3', B: '3', C: '3' } } }`,
      ".env": "A=2\nB=2\n",
    });
    const config = await folder.load({ env: { A: "1" } });
    expect(config.value.ui).toEqual({ v: ["1", "2", "3"] });
    expect(config.env).toEqual({ A: "1", B: "2", C: "3" });
  });

  it("of env.vars may refer to others, and never override the environment", async () => {
    using folder = new TrialFolder({
      "colloquy.json": `{ env: { vars: { URL: 'http://\${HOST}/', HOST: 'mine' } } }`,
    });
    expect((await folder.load({ env: { HOST: "real" } })).env).toEqual({ HOST: "real", URL: "http://real/" });
  });

  it("that are missing or empty are all named, each with its path and place", async () => {
    using folder = new TrialFolder({ "colloquy.json": `{ ui: {\n a: '\${GONE}',\n b: ['\${EMPTY}'] } }` });
    const error = await folder.failure({ env: { EMPTY: "" } });
    expect(error.code).toBe("VALIDATION_ERROR");
    expect(error.message).toContain(
      "colloquy.json:2:5: ui.a needs the variable GONE, which is missing or empty",
    );
    expect(error.message).toContain("and 1 more");
    expect(error.details?.findings).toMatchObject([
      { path: "ui.a" },
      { path: "ui.b[0]", line: 3, column: 6 },
    ]);
  });

  it("in lower case are not replaced, with a warning", async () => {
    using folder = new TrialFolder({ "colloquy.json": ui(`\${home}`) });
    const { value, warnings } = await folder.load({ env: { home: "x" } });
    expect(value.ui).toEqual({ a: `\${home}` });
    expect(warnings.find(({ code }) => code === "lower-case-variable")?.message).toMatch(/is not replaced/);
  });

  it("are part of what the cache looks at", async () => {
    using folder = new TrialFolder({ "colloquy.json": ui(`\${A}`) });
    expect((await folder.load({ env: { A: "1" } })).value.ui).toEqual({ a: "1" });
    expect((await folder.load({ env: { A: "2" } })).value.ui).toEqual({ a: "2" });
  });
});

/** A shell of our own making: a script that is called as a login shell is. */
function shell(folder: TrialFolder, script: string): string {
  folder.write("shell.sh", `#!/bin/sh\n${script}\n`);
  chmodSync(folder.path("shell.sh"), 0o700);
  return folder.path("shell.sh");
}

const RUN = '[ "$1" = -l ] && [ "$2" = -c ] && exec /bin/sh -c "$3"';

describe.skipIf(process.platform === "win32")("the login shell", () => {
  it("is not asked unless the config wants it", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{}" });
    const SHELL = shell(folder, `touch ${folder.path("asked")}`);
    await folder.load({ env: { SHELL, PATH: process.env.PATH } });
    expect(existsSync(folder.path("asked"))).toBe(false);
  });

  it("returns only missing variables that are expected, whatever its startup files print", async () => {
    using folder = new TrialFolder({
      "colloquy.json": `{ env: { shellEnv: true }, ui: { v: ['\${A}', '\${B}'] } }`,
    });
    const SHELL = shell(folder, `echo "Welcome, NOISE=1"; export A=shell B='two\nlines' C=3; ${RUN}`);
    const config = await folder.load({ env: { SHELL, PATH: process.env.PATH, A: "real" } });
    expect(config.value.ui).toEqual({ v: ["real", "two\nlines"] });
    expect(Object.keys(config.env).toSorted()).toEqual(["A", "B", "PATH", "SHELL"]);
  });

  it("is asked once in a process, and only if a used section lacks a variable", async () => {
    using folder = new TrialFolder({
      "colloquy.json": `{ env: { shellEnv: true }, ui: { v: '\${A}' }, session: { x: 1 } }`,
    });
    const SHELL = shell(folder, `echo asked >> ${folder.path("asked")}; export A=1; ${RUN}`);
    const env = { SHELL, PATH: process.env.PATH };
    await folder.load({ env, sections: ["session"], cacheTtlMs: 0 });
    expect(existsSync(folder.path("asked"))).toBe(false);
    for (const _time of [1, 2]) {
      const { value, warnings } = await folder.load({ env, sections: ["ui"], cacheTtlMs: 0 });
      expect(value.ui).toEqual({ v: "1" });
      expect(warnings.find(({ code }) => code === "login-shell")?.message).toMatch(
        /asked for A \(env\.shellEnv\)$/,
      );
    }
    expect(readFileSync(folder.path("asked"), "utf8")).toBe("asked\n");
  });

  it("can be chosen, and provides variables that patches refer to", async () => {
    using folder = new TrialFolder({ "config.d/1.json5": `{ ui: { a: '\${FROM_PATCH}' } }` });
    const named = shell(folder, `export FROM_PATCH=yes; ${RUN}`);
    folder.write("colloquy.json", JSON.stringify({ env: { shellEnv: named } }));
    expect((await folder.load({ env: { PATH: process.env.PATH } })).value.ui).toEqual({ a: "yes" });
  });

  it("that hangs is stopped with everything it started, and reported", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ env: { shellEnv: { enabled: true } } }" });
    const pids = folder.path("pids");
    const SHELL = shell(folder, `sleep 60 & echo $! > ${pids}; echo $$ >> ${pids}; wait`);
    // On a busy machine the shell may not have come to its second line when its time is over.
    const isComplete = (): boolean => existsSync(pids) && readFileSync(pids, "utf8").split("\n").length === 3;
    let timeoutMs = 200;
    let warnings: LoadedConfig["warnings"] = [];
    while (!isComplete()) {
      timeoutMs *= 2;
      const env = { SHELL, PATH: process.env.PATH };
      warnings = (await folder.load({ env, shellTimeoutMs: timeoutMs })).warnings;
    }
    expect(warnings).toMatchObject([
      { code: "login-shell", severity: "warning", path: "env.shellEnv", line: 1 },
    ]);
    expect(warnings[0]?.message).toContain(`did not answer within ${timeoutMs} ms and was stopped`);
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    await until(() => !started.some(isRunning));
  });

  it("is named by its absolute path", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ env: { shellEnv: 'zsh' } }" });
    expect((await folder.load()).warnings[0]?.message).toMatch(/absolute path/);
  });

  it.each([
    ["is not there", "/nowhere/sh", /cannot be started \(ENOENT\)/],
    ["fails", "/bin/false", /did not list its variables/],
  ])("that %s is reported", async (_what, SHELL, message) => {
    using folder = new TrialFolder({ "colloquy.json": "{ env: { shellEnv: true } }" });
    const { warnings } = await folder.load({ env: { SHELL, PATH: process.env.PATH } });
    expect(warnings[0]?.message).toMatch(message);
  });
});

/** A process that has ended, but that was not waited for, is not running. */
function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}
