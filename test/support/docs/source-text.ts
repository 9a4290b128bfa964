import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The sources below some folders, without their tests, as one text. */
export function sourceText(...folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
        .map((name) => readFileSync(join(folder, name), "utf8")),
    )
    .join("\n");
}

/** The part of a page below a heading, up to the next heading of the same or a higher level. */
export function sectionOf(page: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const start = page.indexOf(`\n${heading}`);
  if (start === -1) throw new Error(`no heading ${heading}`);
  const rest = page.slice(start + 1);
  const end = new RegExp(`\\n#{1,${level}} `).exec(rest);
  return end === null ? rest : rest.slice(0, end.index);
}

/** The rows of all tables of a text, each as its cells. */
export function tableRows(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .map((line) => line.slice(2, -2).split(/(?<!\\) \| /));
}

/** What a text has in backquotes. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string);
}
