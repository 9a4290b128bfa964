import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CommandSpec, OptionSpec } from "../../src/cli/command.ts";
import { COMMANDS, GLOBAL_OPTIONS } from "../../src/cli/command-table.ts";
import { codeSpans, sectionOf, tableRows } from "../support/docs/source-text.ts";

const page = readFileSync("docs/reference/cli.md", "utf8");

function usageOf({ name, args = [] }: CommandSpec): string {
  const words = args.map(({ name: word, many, optional }) => {
    const shown = many ? `${word}…` : word;
    return optional ? `[${shown}]` : shown;
  });
  return ["colloquy", name, ...words].filter((word) => word !== "").join(" ");
}

/** As the first column of a table names them: `--context N`, `-C N`. */
function namesOf(options: Readonly<Record<string, OptionSpec>>): string[] {
  return Object.entries(options).flatMap(([name, { short, value }]) => {
    const after = value === undefined ? "" : ` ${value}`;
    return [`--${name}${after}`, ...(short === undefined ? [] : [`-${short}${after}`])];
  });
}

/** The options in the tables of a section, each with its description. */
function described(section: string): Map<string, string> {
  const rows = tableRows(section).map(([names = "", meaning = ""]) => [names, meaning] as const);
  return new Map(
    rows.flatMap(([names, meaning]) =>
      codeSpans(names)
        .filter((name) => name.startsWith("-"))
        .map((name) => [name, meaning] as const),
    ),
  );
}

/** The default that a text states: "Default 2,048", "default main", "auto (default)". */
function defaultOf(text: string): string | undefined {
  const plain = text.replaceAll("`", "");
  const [, stated] =
    /\bdefault:? ([\d,]*\d|[~\w./-]*\w)/i.exec(plain) ?? /([\w-]+) \(default/.exec(plain) ?? [];
  return stated?.replaceAll(",", "");
}

describe("the reference of the command", () => {
  it.each(COMMANDS.map((command) => [usageOf(command), command] as const))(
    "has the arguments, options and defaults of %s",
    (usage, { options = {} }) => {
      const found = described(sectionOf(page, `## \`${usage}\``));
      expect([...found.keys()].sort()).toEqual(namesOf(options).sort());
      const defaults = Object.entries(options).flatMap(([name, spec]) => {
        const [shown = ""] = namesOf({ [name]: spec });
        const [helped, written] = [defaultOf(spec.help), defaultOf(found.get(shown) ?? "")];
        return helped === undefined || helped === written ? [] : [`${shown}: ${helped}, not ${written}`];
      });
      expect(defaults).toEqual([]);
    },
  );

  it("has the global options", () => {
    const found = described(sectionOf(page, "## Global options"));
    expect([...found.keys()].sort()).toEqual(namesOf(GLOBAL_OPTIONS).sort());
  });

  it("describes no other command", () => {
    const headings = [...page.matchAll(/^## `(colloquy[^`]*)`/gm)].map(([, usage]) => usage);
    expect(headings.sort()).toEqual(COMMANDS.map(usageOf).sort());
  });
});
