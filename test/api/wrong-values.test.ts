/** Every function that the package exports is called with wrong values: it answers, or throws a `ColloquyError`. */
import { readFileSync, rmSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { ColloquyError } from "../../src/errors.ts";
import { GatewayError } from "../../src/gateway/client/index.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";

type Callable = (...args: readonly unknown[]) => unknown;

const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/**
 * Rules that all engines share. An engine calls them with operations, trees and
 * lookups of its own, which the store has checked: checking them again would
 * cost every append, and there is no user who could have typed them.
 */
const UNCHECKED: Readonly<Record<string, readonly string[]>> = {
  "./engine": [
    ...["activeAt", "checkEpoch", "checkKeyFree", "checkMove", "checkPurge", "checkUpload"],
    ...[
      "compareForListing",
      "decideLease",
      "entryNotFound",
      "freedBlobs",
      "isOpening",
      "jobPage",
      "keyReceipt",
      "longest",
    ],
    ...[
      "newBytes",
      "newText",
      "notFound",
      "openingIn",
      "passesFilter",
      "planAppend",
      "planJobs",
      "planSweep",
      "purgeMark",
    ],
    ...["receipt", "resolveCreate", "unsupported"],
  ],
  "./tree": [
    ...[
      "activeHead",
      "branchByName",
      "compare",
      "depthWarnings",
      "describeBranches",
      "fold",
      "headOf",
      "isMark",
    ],
    ...[
      "liveBranches",
      "liveCompactions",
      "messagesIn",
      "pathOf",
      "placeEntries",
      "targetBranch",
      "unreachable",
    ],
  ],
};

const DOORS = Object.entries(exports as Record<string, { readonly default: string }>)
  .filter(([, { default: file }]) => file !== undefined)
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
    // The client of a gateway has the same contract, without the library: browsers load it.
    if (!(error instanceof ColloquyError || error instanceof GatewayError)) return `${error}`;
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

async function functionsOf(file: string): Promise<[string, Callable][]> {
  const module: Readonly<Record<string, unknown>> = await import(file);
  return Object.entries(module).filter(
    (entry): entry is [string, Callable] =>
      typeof entry[1] === "function" && !/^class\s/.test(Function.prototype.toString.call(entry[1])),
  );
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
  // To a function that creates a file, a text is the name of one.
  afterAll(() => {
    for (const name of WRONG.filter((value) => typeof value === "string" && value !== "")) {
      for (const end of ["", "-wal", "-shm"]) rmSync(`${String(name)}${end}`, { force: true });
    }
  });

  it.each(DOORS)("in functions of %s are a ColloquyError", async (door, file) => {
    const unchecked = UNCHECKED[door] ?? [];
    const functions = await functionsOf(file);
    const checked = functions.filter(([name]) => !unchecked.includes(name));
    expect(await problemsOf(checked)).toEqual([]);
    const names = functions.map(([name]) => name);
    expect(unchecked.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("in the options of the conformance suite name the wrong one", async () => {
    const { conformance } = await import("../../src/conformance/index.ts");
    const engine = new URL("../../src/errors.ts", import.meta.url);
    for (const [options, field] of [
      [undefined, "options"],
      [{ engine }, "test"],
      [{ test: () => {}, engine: engine.href }, "engine"],
      [{ test: () => {}, engine }, "engine"],
    ] as const) {
      await expect((conformance as Callable)(options)).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
        field,
      });
    }
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
