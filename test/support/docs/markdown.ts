import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A fenced block: its language, its code, and the line of its first line of code. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

/** Every Markdown file of the repository, also those that are not committed yet. */
export function markdownPages(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
    encoding: "utf8",
  });
  return listed.trim().split("\n");
}

export function codeBlocks(page: string): CodeBlock[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1] as string,
    code: match[2] as string,
    line: text.slice(0, match.index).split("\n").length + 1,
  }));
}

/** The lines outside of fenced blocks, with their numbers. */
export function proseLines(page: string): { text: string; line: number }[] {
  let fenced = false;
  return readFileSync(page, "utf8")
    .split("\n")
    .flatMap((text, index) => {
      const fence = text.startsWith("```");
      if (fence) fenced = !fenced;
      return fence || fenced ? [] : [{ text, line: index + 1 }];
    });
}
