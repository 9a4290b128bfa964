import { ColloquyError } from "../../../errors.ts";
import { providerId } from "../../../state/credentials/index.ts";
import {
  CATALOGUE,
  composeModels,
  type ModelSpec,
  PRICES_AS_OF,
  type ProviderSpec,
} from "../../../state/models/index.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { nextCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { table } from "../../terminal/table.ts";
import { access, warn } from "../auth/access.ts";

interface Row {
  readonly provider: string;
  readonly model: ModelSpec;
}

export async function run(call: Call): Promise<Result> {
  const { credentials, config, env } = await access(call, "values");
  const composed = composeModels({ providers: await credentials.providers(), config, env });
  for (const warning of composed.warnings) warn(call, warning);
  const providers = call.flags.has("all")
    ? { ...Object.fromEntries(CATALOGUE), ...composed.file.providers }
    : composed.file.providers;
  const rows = rowsOf(call, providers);
  const preset = composed.file.default ?? null;
  const json = { default: preset, pricesAsOf: PRICES_AS_OF, models: rows.map(rowJson) };
  if (rows.length > 0) return { json, lines: modelTable(call.out, rows) };
  return {
    json,
    lines: ["No models: no provider is set up."],
    notes: [
      `To set one up: ${nextCommand("auth add anthropic", call.values)}`,
      `To see all models: ${nextCommand("models list --all", call.values)}`,
    ],
  };
}

function rowsOf(call: Call, providers: Readonly<Record<string, ProviderSpec>>): Row[] {
  const wanted = call.values.get("provider");
  if (wanted !== undefined && !Object.hasOwn(providers, providerId(wanted))) {
    const known = Object.keys(providers).join(", ") || "none";
    throw new ColloquyError("NOT_FOUND", `Provider not set up. Available: ${known}`, {
      field: "provider",
    });
  }
  return Object.entries(providers)
    .filter(([provider]) => wanted === undefined || provider === providerId(wanted))
    .flatMap(([provider, { models }]) => models.map((model) => ({ provider, model })));
}

function rowJson({ provider, model }: Row): Record<string, unknown> {
  const { id, name, reasoning, input, cost, contextWindow, maxTokens } = model;
  return {
    provider,
    id,
    name,
    reasoning: reasoning ?? null,
    input: input ?? null,
    cost: cost ?? null,
    contextWindow: contextWindow ?? null,
    maxTokens: maxTokens ?? null,
  };
}

function modelTable(out: Output, rows: readonly Row[]): string[] {
  const columns = [
    { title: "MODEL", rank: 0, min: 24 },
    { title: "NAME", rank: 5 },
    { title: "WINDOW", rank: 2, align: "right" as const },
    { title: "OUTPUT", rank: 4, align: "right" as const },
    { title: "$ IN", rank: 1, align: "right" as const },
    { title: "$ OUT", rank: 1, align: "right" as const },
    { title: "$ CACHED", rank: 3, align: "right" as const },
  ];
  const cells = rows.map(({ provider, model: { id, name, cost, contextWindow, maxTokens } }) =>
    [
      `${provider}/${id}`,
      name,
      tokens(contextWindow),
      tokens(maxTokens),
      price(cost?.input),
      price(cost?.output),
      price(cost?.cacheRead),
    ].map(safeLine),
  );
  return [...table(out, columns, cells), "", `Prices per million tokens, as of ${PRICES_AS_OF}.`];
}

function tokens(count: number | undefined): string {
  if (count === undefined) return "–";
  return count >= 1_000_000 ? `${Math.round(count / 10_000) / 100}M` : `${Math.round(count / 1000)}K`;
}

function price(dollars: number | undefined): string {
  return dollars === undefined ? "–" : String(dollars);
}
