import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** What a user gets: the built package, and the examples of the documentation run against it. */

const root = resolve(".");
const scratch = join(root, ".tmp", `package-${process.pid}`);
const home = mkdtempSync(join(tmpdir(), "colloquy-package-"));

function run(command: string, args: readonly string[], cwd = root): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The code blocks of a page that are complete programs, as files that import the package by its name. */
function programs(page: string): string[] {
  const blocks = [...readFileSync(page, "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code]) => code as string,
  );
  return blocks.filter((code) => code.includes("import ") && code.includes("await ") && !code.includes("…"));
}

beforeAll(() => {
  run(process.execPath, ["scripts/build.js"]);
  mkdirSync(scratch, { recursive: true });
}, 60_000);

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
});

describe("the package", () => {
  it("offers every entry that it promises", { timeout: 60_000 }, () => {
    const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
    for (const entry of Object.keys(exports).filter((name) => !name.endsWith(".json"))) {
      const name = entry.replace(".", "colloquy");
      const file = join(scratch, "entry.mjs");
      writeFileSync(file, `console.log(Object.keys(await import("${name}")).length > 0);`);
      expect(run(process.execPath, [file]).trim(), name).toBe("true");
    }
  });

  it("passes the checks of its packaging", { timeout: 120_000 }, () => {
    run("node_modules/.bin/publint", ["--strict"]);
    run("node_modules/.bin/attw", ["--pack", ".", "--profile", "esm-only"]);
  });

  it("runs the example of the README", { timeout: 60_000 }, () => {
    const [example] = programs("README.md");
    const file = join(scratch, "readme.ts");
    writeFileSync(file, example as string);
    const printed = run(process.execPath, [file], home);
    expect(printed).toBe("user: What did we decide?\nassistant: To keep everything.\n");
  });

  it("can be installed: the lock file names every package of every platform", () => {
    const packages: Record<string, { optionalDependencies?: object }> = JSON.parse(
      readFileSync("package-lock.json", "utf8"),
    ).packages;
    const names = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));
    const optional = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(optional.filter((name) => !names.has(name))).toEqual([]);
  });

  it("says what to do on an old Node", () => {
    const guard = readFileSync("bin/require-node.js", "utf8").replace("process.versions.node", '"20.1.0"');
    const file = join(scratch, "guard.mjs");
    writeFileSync(file, guard);
    expect(() => run(process.execPath, [file])).toThrow(/needs Node 24 or newer/);
  });
});

describe("the documentation", () => {
  it("has the first example within the first 30 lines of the README", () => {
    expect(readFileSync("README.md", "utf8").split("\n").slice(0, 30).join("\n")).toContain(
      "await openStore(",
    );
  });

  it("links only to pages that are there", () => {
    const pages = run("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"])
      .trim()
      .split("\n");
    const missing = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)]
        .map(([, link]) => resolve(page, "..", link as string))
        .filter((target) => !existsSync(target))
        .map((target) => `${page} -> ${target}`),
    );
    expect(missing).toEqual([]);
  });
});
