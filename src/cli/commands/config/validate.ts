import { ColloquyError } from "../../../errors.ts";
import { type ConfigOptions, patchFolderOf } from "../../../state/config/config-build.ts";
import { type Finding, findingText } from "../../../state/config/finding.ts";
import { loadBuild } from "../../../state/config/load.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { configOptions } from "../../input/config-options.ts";
import type { Output } from "../../output.ts";
import { counted } from "../../terminal/count-text.ts";

export async function run(call: Call): Promise<Result> {
  const { file, patched, findings } = await checked(configOptions(call));
  const ok = findings.every(({ severity }) => severity === "info");
  const exit = ok ? EXIT_DONE : EXIT_PROBLEMS;
  return { json: { ok, file, findings }, lines: lines(call.out, file ?? patched, findings), exit };
}

interface Checked {
  /** `null` when there is none. */
  readonly file: string | null;
  /** The folder of patches, if one was read. */
  readonly patched: string | null;
  readonly findings: readonly Finding[];
}

async function checked(options: ConfigOptions): Promise<Checked> {
  try {
    const build = await loadBuild({ ...options, tolerant: true });
    const { file, exists, patches, findings } = build;
    const patched = patches.length > 0 ? patchFolderOf(build) : null;
    return { file: exists ? file : null, patched, findings };
  } catch (error) {
    // A file that cannot be parsed is a finding too; one that cannot be read is an error.
    if (!(error instanceof ColloquyError) || error.code !== "VALIDATION_ERROR") throw error;
    const { file = null, findings } = (error.details ?? {}) as Partial<Checked>;
    return { file, patched: null, findings: findings ?? [asFinding(error)] };
  }
}

function asFinding({ message, details = {} }: ColloquyError): Finding {
  const { file, line, column } = details as Partial<Record<"file" | "line" | "column", never>>;
  const place = `${file}:${line}:${column}: `;
  const text = message.startsWith(place) ? message.slice(place.length) : message;
  const at = { file: file ?? null, line: line ?? null, column: column ?? null };
  return { severity: "error", code: "not-readable", path: "", message: text, ...at };
}

const MARKS = { error: "red", warning: "yellow", info: "cyan" } as const;

function lines(out: Output, file: string | null, findings: readonly Finding[]): string[] {
  const problems = findings.filter(({ severity }) => severity !== "info").length;
  const what = file === null ? "There is no config file; the defaults apply" : safeLine(file);
  return [
    ...findings.map((found) => {
      return `${out.style(MARKS[found.severity], found.severity.padEnd(7))}  ${safeLine(findingText(found))}`;
    }),
    problems === 0 ? `${what}: no problems` : `${counted(problems, "problem")} found.`,
  ];
}
