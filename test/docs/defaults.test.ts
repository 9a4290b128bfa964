import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { codeSpans, tableRows } from "../support/docs/source-text.ts";

/** Each number that a page states as a default, by the first name in its row, and the constant that it is. */
const DEFAULTS: Readonly<
  Record<string, readonly (readonly [name: string, file: string, constant: string])[]>
> = {
  "docs/reference/cli.md": [
    ["--limit N", "store/search/search-query.ts", "LIMIT_DEFAULT"],
    ["--limit N", "store/read/conversation-pages.ts", "LIMIT_DEFAULT"],
    ["--context N", "cli/commands/sessions/show.ts", "AROUND_DEFAULT"],
    ["--reserve-for-output N", "context/budget.ts", "RESERVE_FOR_OUTPUT"],
    ["--last N", "context/strategies.ts", "SLIDING_MESSAGES"],
    ["--keep-tokens N", "context/compaction.ts", "KEEP_TOKENS"],
  ],
  "docs/reference/library.md": [
    ["lockWaitMs", "util/wait.ts", "LOCK_WAIT_MS"],
    ["limit, cursor", "store/read/conversation-pages.ts", "LIMIT_DEFAULT"],
    ["limit, maxBytes", "store/read/entry-query.ts", "LIMIT_DEFAULT"],
  ],
  "docs/reference/context.md": [
    ["reserveForOutput", "context/budget.ts", "RESERVE_FOR_OUTPUT"],
    ["maxToolResultTokens", "context/budget.ts", "MAX_TOOL_RESULT_TOKENS"],
  ],
  "docs/guide/context.md": [
    ["reserveForOutput", "context/budget.ts", "RESERVE_FOR_OUTPUT"],
    ["last", "context/strategies.ts", "SLIDING_MESSAGES"],
    ["maxToolResultTokens", "context/budget.ts", "MAX_TOOL_RESULT_TOKENS"],
  ],
};

function constantOf(file: string, name: string): number {
  const source = readFileSync(`src/${file}`, "utf8");
  const [, value] = new RegExp(`\\bconst ${name}(?:: \\w+)? = ([\\d_]+);`).exec(source) ?? [];
  return Number(value?.replaceAll("_", ""));
}

/** In words, or in the second column of a table of options. */
function statedDefault(cells: readonly string[]): number | undefined {
  const words = /\bdefault (\d[\d,]*)/i.exec(cells.slice(1).join(" "))?.[1];
  const alone = /^`(\d+)`$/.exec(cells[1] ?? "")?.[1];
  const text = words ?? alone;
  return text === undefined ? undefined : Number(text.replaceAll(",", ""));
}

describe("every default", () => {
  it.each(Object.entries(DEFAULTS))("of %s is that of the source", (path, constants) => {
    const stated = tableRows(readFileSync(path, "utf8")).flatMap((cells) => {
      const value = statedDefault(cells);
      const names = codeSpans(cells[0] ?? "");
      const name = names[0]?.startsWith("-") ? names[0] : names.join(", ");
      return value === undefined ? [] : [[name ?? "", value] as const];
    });
    const expected = constants.map(([name, file, constant]) => [name, constantOf(file, constant)]);
    expect(stated).toEqual(expected);
  });
});
