/** Every function that the package exports is called with wrong values: it answers, or throws a `ColloquyError`. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ColloquyError } from "../../src/errors.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";

type Callable = (...args: readonly unknown[]) => unknown;

const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/**
 * These take what the store has checked. Checking it again would cost every
 * append, and there is no user who could have typed it.
 */
const FOR_ENGINES: ReadonlySet<string> = new Set(["./engine", "./tree", "./conformance"]);

const DOORS = Object.entries(exports as Record<string, { readonly default: string }>)
  .filter(([door, { default: file }]) => file !== undefined && !FOR_ENGINES.has(door))
  .map(
    ([door, { default: file }]) =>
      [door, file.replace("./dist/", "../../src/").replace(/\.js$/, ".ts")] as const,
  );

const SECRET = `sk-ant-${"a1B2".repeat(12)}`;
const OPENAI = [{ role: "tool", content: null, tool_call_id: "1" }];
const WRONG: readonly unknown[] = [
  ...[undefined, null, 0, Number.NaN, -1, true, 5n, Symbol("s"), () => {}],
  ...[
    "",
    "x",
    "a:b",
    SECRET,
    [],
    [null],
    [SECRET],
    OPENAI,
    {},
    { a: 1 },
    { stateDir: 5 },
    { [SECRET]: SECRET },
  ],
  ...[{ maxTokens: 1000 }, { channel: 1, from: 2 }, new Date(0), new Map()],
];

/** Lists of arguments: one wrong value throughout, and each one between right ones. */
function argumentsFor(call: Callable): unknown[][] {
  const count = Math.max(1, call.length);
  return [
    [],
    ...WRONG.flatMap((wrong) => [Array(count).fill(wrong), Array(count + 1).fill(wrong)]),
    ...WRONG.flatMap((wrong) => [
      [[], wrong],
      [wrong, []],
      ["x", [], wrong],
    ]),
  ];
}

/** The error of a call that is not ours, or that repeats the secret. */
async function problemOf(call: Callable, args: readonly unknown[]): Promise<string | undefined> {
  try {
    const result = call(...args) as { then?: unknown; close?: Callable } | undefined;
    if (typeof result?.then === "function") await Promise.race([result, soon()]);
    return undefined;
  } catch (error) {
    if (!(error instanceof ColloquyError)) return `${error}`;
    const told = JSON.stringify([error, error.stack]);
    return told.includes(SECRET) ? `repeats the secret: ${told}` : undefined;
  }
}

function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

async function problemsOf(calls: Iterable<readonly [string, Callable]>): Promise<string[]> {
  const found = new Set<string>();
  for (const [name, call] of calls) {
    for (const args of argumentsFor(call)) {
      const problem = await problemOf(call, args);
      if (problem !== undefined) found.add(`${name}: ${problem}`);
    }
  }
  return [...found];
}

function methodsOf(instance: object): [string, Callable][] {
  const prototype = Object.getPrototypeOf(instance);
  return Object.getOwnPropertyNames(prototype).flatMap((name): [string, Callable][] => {
    const value = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof value !== "function" || name === "constructor" || name === "close") return [];
    return [[name, (...args) => value.apply(instance, args)]];
  });
}

describe("wrong values", () => {
  it.each(DOORS)("in functions of %s are a ColloquyError", async (_, file) => {
    const module: Readonly<Record<string, unknown>> = await import(file);
    const functions = Object.entries(module).filter(
      (entry): entry is [string, Callable] =>
        typeof entry[1] === "function" && !/^class\s/.test(Function.prototype.toString.call(entry[1])),
    );
    expect(await problemsOf(functions)).toEqual([]);
  });

  it("in methods of credentials are a ColloquyError without the secret", async () => {
    const credentials = openCredentials({ stateDir: tempFolder(), env: { COLLOQUY_KEY_STORE: "file" } });
    expect(await problemsOf(methodsOf(credentials))).toEqual([]);
  });

  it("in methods of a store and a conversation are a ColloquyError", async () => {
    const store = await openStore("ephemeral:");
    const chat = await store.open("cli:default");
    expect(await problemsOf(methodsOf(chat))).toEqual([]);
    expect(await problemsOf(methodsOf(store))).toEqual([]);
  });
});
