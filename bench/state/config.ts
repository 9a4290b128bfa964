/** Loading a large config: once in each of several new processes, and again and again in this one. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigOptions } from "../../src/state/config/config-build.ts";
import { loadConfig } from "../../src/state/config/load.ts";
import { alternate, type BenchRow, timed } from "../harness.ts";
import { below } from "../rows.ts";

const INCLUDES = 20;
const LINES = 2000;
const MODELS_EACH = 10;

function optionsOf(folder: string): ConfigOptions {
  return { stateDir: join(folder, "state"), home: folder, adopt: false, env: { BENCH_TOKEN: "0123456789" } };
}

function included(number: number): string[] {
  const models = Array.from({ length: MODELS_EACH }, (_, index) => [
    `      // Number ${index} of provider ${number}.`,
    "      {",
    `        id: "model-${number}-${index}",`,
    `        name: 'Model ${index} of ${number}',`,
    "        reasoning: true,",
    '        input: ["text", "image"],',
    "        cost: { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },",
    `        contextWindow: ${200_000 + index},`,
    "      },",
  ]);
  return [
    "{",
    `  provider${number}: {`,
    `    baseUrl: "https://models.example/${number}", models: [`,
    ...models.flat(),
    "    ],",
    "  } }",
  ];
}

/** A state folder whose config has this many lines in all its files. */
function written(folder: string): ConfigOptions {
  const options = optionsOf(join(folder, "config"));
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const names = Array.from({ length: INCLUDES }, (_, number) => `providers-${number}.json5`);
  const parts = names.map((_, number) => included(number));
  const main = [
    "{",
    `  models: { providers: { $include: [`,
    ...names.map((name) => `    "./${name}",`),
    "  ] } },",
    "  channels: {",
  ];
  const rest = LINES - main.length - 2 - parts.flat().length;
  const channels = Array.from({ length: rest }, (_, index) => {
    return `    chat${index}: { enabled: true, token: "\${BENCH_TOKEN}", allowFrom: ["+4917610000${index}"] },`;
  });
  main.push(...channels, "  },", "}");
  if (rest < 0) throw new Error("The lines do not add up");
  writeFileSync(join(options.stateDir, "colloquy.json"), `${main.join("\n")}\n`, { mode: 0o600 });
  for (const [number, lines] of parts.entries()) {
    writeFileSync(join(options.stateDir, names[number] as string), `${lines.join("\n")}\n`, { mode: 0o600 });
  }
  return options;
}

/** Microseconds for the first load of this process, until all values are there. */
async function firstLoad(options: ConfigOptions): Promise<number> {
  return timed(1, async () => (await loadConfig(options)).value);
}

export async function config(folder: string): Promise<BenchRow[]> {
  const options = written(folder);
  const { value, files, warnings } = await loadConfig(options);
  const providers = Object.keys((value.models as { providers: object }).providers).length;
  const wrong = warnings.some(({ severity }) => severity !== "info");
  if (files.length !== INCLUDES + 1 || providers !== INCLUDES || wrong)
    throw new Error("Not the config that was meant");
  const result = await alternate(
    {
      cold: () => Number(execFileSync(process.execPath, [import.meta.filename, join(folder, "config")])),
      cached: () => timed(50, () => loadConfig(options)),
      values: () => timed(50, async () => (await loadConfig(options)).value),
    },
    11,
  );
  const what = `config of ${LINES.toLocaleString("en")} lines with ${INCLUDES} includes`;
  return [
    below(`${what}, first load in a new process, modules loaded`, result.cold / 1000, 30, "ms"),
    below(`${what}, cached`, result.cached / 1000, 0.2, "ms", 3),
    below(`${what}, cached, with a copy of all values`, result.values / 1000, 0.2, "ms", 3),
  ];
}

// The child of the first row.
if (import.meta.main) console.log(await firstLoad(optionsOf(process.argv[2] ?? "")));
