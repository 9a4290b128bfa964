import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NODE_MAJOR_MIN } from "../src/util/node-version.ts";

/** What a user gets: the packed package in a project of its own, and the examples of the documentation against it. */

const root = resolve(".");
/** Below the checkout, so that a project in it finds the types of Node. */
const project = join(root, ".tmp", `package-${process.pid}`);
const installed = join(project, "node_modules", "colloquy");
const home = mkdtempSync(join(tmpdir(), "colloquy-package-"));
let tarball: string;

function run(command: string, args: readonly string[], cwd = root): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Every page that explains how to use the package. */
function pages(): string[] {
  const docs = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  return ["README.md", ...docs.map((name) => join("docs", name))];
}

/**
 * The code blocks of a page that are complete programs. A first line such as
 * `// my-engine.ts` is the file's name, by which another block may import it.
 */
function programs(page: string): { name: string; code: string }[] {
  const blocks = [...readFileSync(page, "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code = ""]) => code,
  );
  return blocks
    .filter((code) => /^import /m.test(code))
    .map((code, index) => ({ name: /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1] ?? `program-${index}.ts`, code }));
}

beforeAll(() => {
  mkdirSync(installed, { recursive: true });
  // Packing builds; what was built is also left in dist.
  run("npm", ["pack", "--silent", "--pack-destination", project]);
  tarball = join(project, readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "");
  run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  writeFileSync(join(project, "package.json"), '{"name":"project","type":"module"}');
});

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
});

describe("the package", () => {
  it("offers every entry that it promises", () => {
    const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
    const names = Object.keys(exports)
      .filter((name) => !name.endsWith(".json"))
      .map((entry) => entry.replace(".", "colloquy"));
    const file = join(project, "entries.mjs");
    writeFileSync(
      file,
      names
        .map((name) => `if (Object.keys(await import("${name}")).length > 0) console.log("${name}");`)
        .join("\n"),
    );
    expect(run(process.execPath, [file]).trim().split("\n")).toEqual(names);
  });

  it("passes the checks of its packaging", () => {
    run("node_modules/.bin/publint", ["--strict", tarball]);
    run("node_modules/.bin/attw", [tarball, "--profile", "esm-only"]);
  });

  it("imports nothing that is not installed with it", () => {
    const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    const entries = Object.values<{ types?: string }>(exports).flatMap(({ types }) => types ?? []);
    const code = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".js"))
      .map((name) => join("dist", name));
    const known = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), "colloquy"]);
    const packagesIn = (files: readonly string[]): string[] =>
      files
        .flatMap((name) => importsIn(join(installed, name)).filter((one) => !/^(?:\.|node:)/.test(one)))
        .map((one) => /^(?:@[^/]+\/)?[^/]+/.exec(one)?.[0] ?? one);
    const names = packagesIn(code);
    expect(names).toContain("yauzl");
    expect(new Set(names.filter((name) => !known.has(name)))).toEqual(new Set());
    // Peers are optional: declarations that name their types could not be compiled without them.
    expect(new Set(packagesIn(reachable(entries)))).toEqual(new Set());
  });

  it("takes at most 30 MB with its dependencies", () => {
    const packages = Object.entries<{ dev?: boolean; optional?: boolean; peer?: boolean }>(
      JSON.parse(readFileSync("package-lock.json", "utf8")).packages,
    ).filter(([path, { dev, optional, peer }]) => path !== "" && !dev && !optional && !peer);
    const folders = [installed, ...packages.map(([path]) => path)];
    const bytes = folders.flatMap(filesIn).reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes).toBeLessThan(30_000_000);
  });

  it("has a command that calls itself by its name", () => {
    const command = join(installed, "bin", "colloquy.js");
    expect(run(process.execPath, [command, "--help"], home)).toContain("Usage: colloquy [COMMAND]");
    expect(run(process.execPath, [command, "--state-dir", home], home)).toContain(
      `  colloquy sessions history notes:first --state-dir ${home}\n`,
    );
  });

  it("has a command that finds its threads and the code of its rare parts", () => {
    const colloquy = (...args: string[]): string =>
      run(process.execPath, [join(installed, "bin", "colloquy.js"), ...args, "--state-dir", home], home);
    colloquy("sessions", "append", "notes:today", "--role", "user", "--content", "Buy milk");
    colloquy("backup", join(home, "copy.db"));
    colloquy("sessions", "migrate", "--to", `jsonl:${join(home, "files")}`);
    colloquy("export", "notes:today", "--to", "openai", "--out", join(home, "notes.json"));
    colloquy("import", join(home, "notes.json"), "--store", `sqlite:${join(home, "imported.db")}`);
    expect(colloquy("sessions", "list", "--store", `sqlite:${join(home, "imported.db")}`)).toContain("1");
    expect(colloquy("config", "schema")).toContain("$schema");
  });

  it("starts its everyday commands without the modules of Node that are slow to load", () => {
    const everyday = ["core", "config"].map((name) =>
      readFileSync(join(installed, "dist", "command", `${name}.js`), "utf8"),
    );
    const named = (pattern: RegExp): (string | undefined)[] =>
      everyday.flatMap((code) => [...code.matchAll(pattern)].map(([, name]) => name));
    const loaded = named(/^const .* = process\.getBuiltinModule\("(.*)"\);$/gm);
    // The checksums of rows need zlib, which takes about two milliseconds.
    const cheap = ["buffer", "fs", "os", "path", "sqlite", "timers/promises", "util", "zlib"].map(
      (name) => `node:${name}`,
    );
    expect(loaded).toContain("node:fs");
    expect(loaded.filter((name) => !cheap.includes(name ?? ""))).toEqual([]);
    // An import of a module of Node loads more than is used of it.
    expect(new Set(named(/^import .* from "(.*)";$/gm))).toEqual(new Set(["./core.js"]));
  });

  it("reads a setting without the code that other commands share", () => {
    const code = readFileSync(join(installed, "dist", "command", "get.js"), "utf8");
    expect([...code.matchAll(/from "(.*)";/g)].map(([, name]) => name)).toEqual(["./config.js"]);
  });

  it("runs the example of the README", () => {
    const file = join(project, "readme.ts");
    writeFileSync(file, programs("README.md")[0]?.code ?? "");
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

  it("names the same oldest Node in the package, the command and the library", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(engines.node).toBe(`>=${NODE_MAJOR_MIN}`);
    expect(readFileSync("bin/require-node.js", "utf8")).toContain(`major < ${NODE_MAJOR_MIN}`);
  });

  it("says what to do on an old Node", () => {
    const guard = readFileSync("bin/require-node.js", "utf8").replace("process.versions.node", '"20.1.0"');
    const file = join(project, "guard.mjs");
    writeFileSync(file, guard);
    expect(() => run(process.execPath, [file])).toThrow(/needs Node 24 or newer/);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

const IMPORT =
  /(?:^|[;}\s])(?:import|export)\b[^"'();=]*?\bfrom\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|^import "([^"]+)"/gm;

function importsIn(file: string): string[] {
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return [...text.matchAll(IMPORT)].flatMap(([, first, second, third]) => first ?? second ?? third ?? []);
}

/** The declarations that a compiler reads for these. */
function reachable(entries: readonly string[]): string[] {
  const found = new Set(entries.map((entry) => join(entry)));
  for (const name of found) {
    for (const one of importsIn(join(installed, name)).filter((path) => path.startsWith("."))) {
      found.add(join(dirname(name), one.replace(/\.(?:js|ts)$/, ".d.ts")));
    }
  }
  return [...found];
}

describe("the documentation", () => {
  it("has the first example within the first 30 lines of the README", () => {
    expect(readFileSync("README.md", "utf8").split("\n").slice(0, 30).join("\n")).toContain(
      "await openStore(",
    );
  });

  it("has programs that compile against the package", () => {
    const folder = join(project, "programs");
    for (const page of pages()) {
      const place = join(folder, page.replace(/\.md$/, "").replaceAll("/", "-"));
      for (const { name, code } of programs(page)) {
        mkdirSync(place, { recursive: true });
        writeFileSync(join(place, name), code);
      }
    }
    const compilerOptions = {
      target: "ES2024",
      lib: ["ESNext"],
      module: "NodeNext",
      types: ["node"],
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    expect(readdirSync(folder).length).toBeGreaterThan(4);
    expect(problemsOf(() => run(join(root, "node_modules/.bin/tsc"), ["-p", "."], folder))).toBe("");
  });
});

/** What a compiler said, which is on its standard output. */
function problemsOf(compile: () => string): string {
  try {
    return compile();
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error);
  }
}
