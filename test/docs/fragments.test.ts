import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { codeBlocks, markdownPages } from "../support/docs/markdown.ts";

/** Below the checkout, so that a program in it finds the types of Node. */
const folder = resolve(".tmp", `fragments-${process.pid}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names that a page has introduced in words or in an earlier example. */
const GIVEN = `
import { createReadStream } from "node:fs";
import type { Conversation, MessageInput, Store } from "colloquy";
import type { ChatModel, Tool } from "colloquy/agent";
import type { LoadedConfig } from "colloquy/config";
import type { Refresher } from "colloquy/credentials";
declare const store: Store;
declare const chat: Conversation;
declare const [turn, answer, result]: [MessageInput[], MessageInput & { id: string }, MessageInput];
declare const [entryId, stateDir]: [string, string];
declare const tools: Tool[];
declare const model: ChatModel;
declare const config: LoadedConfig;
declare const socket: NodeJS.WritableStream;
declare const refresher: Refresher;
declare const callTheModel: (key: string | undefined) => Promise<void>;
`;

/** The doors of the package, each with its source. */
function doors(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const found = Object.entries<string | { types: string }>(exports).flatMap(([door, target]) =>
    typeof target === "string"
      ? []
      : [[door.replace(".", "colloquy"), target.types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts")]],
  );
  return Object.fromEntries(found);
}

/** Each name that a door exports, with the door. */
async function exportedNames(): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const [door, source] of Object.entries(doors())) {
    for (const name of Object.keys(await import(resolve(source)))) {
      if (!names.has(name)) names.set(name, door);
    }
  }
  return names;
}

/** A fragment as a module: what it uses without importing it comes from the package, or is given. */
function moduleOf(code: string, names: ReadonlyMap<string, string>): string {
  const used = new Set(code.match(/(?<![.\w])[A-Za-z]\w*(?=[(<])/g));
  const imports = [...names].filter(([name]) => used.has(name));
  const lines = imports.map(([name, door]) => `import { ${name} } from "${door}";`);
  return `${lines.join("\n")}${GIVEN}\nexport async function example() {\n${code}}\n`;
}

describe("the examples of the documentation that are not whole programs", () => {
  it("compile against the sources", async () => {
    const names = await exportedNames();
    mkdirSync(folder, { recursive: true });
    let count = 0;
    for (const page of markdownPages().filter((path) => /^(?:README|docs)/.test(path))) {
      const fragments = codeBlocks(page).filter(
        ({ language, code }) => language === "ts" && !/^import /m.test(code),
      );
      for (const { code, line } of fragments) {
        const name = `${page.replace(/\.md$/, "").replaceAll("/", "-")}-line-${line}.ts`;
        writeFileSync(join(folder, name), moduleOf(code, names));
        count++;
      }
    }
    expect(count).toBeGreaterThan(10);
    const paths = Object.fromEntries(
      Object.entries(doors()).map(([door, source]) => [door, [resolve(source)]]),
    );
    const compilerOptions = { paths, noUnusedLocals: false, isolatedDeclarations: false };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"] }),
    );
    let problems = "";
    try {
      execFileSync(resolve("node_modules/.bin/tsc"), ["-p", "."], { cwd: folder, encoding: "utf8" });
    } catch (error) {
      problems = (error as { stdout?: string }).stdout || String(error);
    }
    expect(problems).toBe("");
  });
});
