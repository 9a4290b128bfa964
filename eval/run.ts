/** `npm run eval -- recall [FOLDER]`: measures how well search finds the messages that answer questions. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ColloquyError } from "../src/errors.ts";
import { type EmbeddingSettings, PROVIDER_NAMES } from "../src/memory/index.ts";
import { recall } from "./recall/recall.ts";
import { missesText, reportJson, reportText } from "./recall/report.ts";
import { MODES, type Mode } from "./recall/store-rankings.ts";

const USAGE = `npm run eval -- recall [FOLDER] [--mode MODE …] [--limit N] [--misses] [--json]
    [--provider NAME [--model NAME] [--dimensions N] [--base-url URL]]
  Load the conversations of FOLDER (default: the set in eval/recall/set) into a store and ask its questions.
  --mode MODE  how to search, repeatable: ${MODES.join(", ")}. Default: all, or keyword without a provider
  --provider   who embeds for semantic and hybrid: ${PROVIDER_NAMES.join(", ")}.
               The API token is the variable EMBEDDING_TOKEN
  --limit N    how many messages to ask for, 10 to 100. Default: 50
  --misses     also list the questions without all answers in the first ten
  --json       print the report as JSON
The format of FOLDER is described in docs/reference/recall-evaluation.md.`;

const OWN_SET = join(import.meta.dirname, "recall", "set");

function refuse(problem: string): never {
  console.error(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        mode: { type: "string", multiple: true },
        provider: { type: "string" },
        model: { type: "string" },
        dimensions: { type: "string" },
        "base-url": { type: "string" },
        limit: { type: "string", default: "50" },
        misses: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function isMode(word: string): word is Mode {
  return MODES.some((mode) => mode === word);
}

function embeddingOf(): EmbeddingSettings | undefined {
  const { provider, model, dimensions, "base-url": baseUrl } = values;
  if (provider === undefined) return undefined;
  const known = PROVIDER_NAMES.find((name) => name === provider);
  if (known === undefined) return refuse(`--provider is ${PROVIDER_NAMES.join(", ")}, not "${provider}"`);
  const length = dimensions === undefined ? undefined : Number(dimensions);
  return { provider: known, model, baseUrl, dimensions: length, apiToken: process.env.EMBEDDING_TOKEN ?? "" };
}

const { values, positionals } = parsed();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const [what, folder = OWN_SET, ...others] = positionals;
if (what !== "recall")
  refuse(what === undefined ? "Say what to evaluate: recall" : `Cannot evaluate "${what}"`);
if (others.length > 0) refuse(`Unexpected argument "${others[0]}"`);
const embedding = embeddingOf();
const modes = values.mode ?? (embedding === undefined ? ["keyword"] : MODES);
const unknown = modes.find((mode) => !isMode(mode));
if (unknown !== undefined) refuse(`--mode is ${MODES.join(", ")}, not "${unknown}"`);
const limit = Number(values.limit);
if (!/^\d+$/.test(values.limit) || limit < 10 || limit > 100)
  refuse(`--limit is an integer from 10 to 100, not "${values.limit}"`);

try {
  const report = await recall({ folder, modes: [...new Set(modes.filter(isMode))], limit, embedding });
  if (values.json) console.log(JSON.stringify(reportJson(report), null, 2));
  else {
    console.log(reportText(report));
    if (values.misses) console.log(`\n${missesText(report)}`);
  }
} catch (error) {
  if (!(error instanceof ColloquyError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
