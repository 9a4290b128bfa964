import type { ConfigOptions, LoadedConfig } from "../../state/config/config-build.ts";
import { type Finding, findingText } from "../../state/config/finding.ts";
import { loaded, tryLoad } from "../../state/config/load.ts";
import { SECTIONS } from "../../state/config/schema/index.ts";
import { closestWord } from "../../util/closest-word.ts";
import type { Call } from "../command.ts";
import { reportFindings, reportText } from "../commands/config/view.ts";
import { PROGRAM } from "../invocation.ts";

/** Load the sections that a command uses, and report what its user has to know about them. */
export async function loadedConfig(
  call: Call,
  sections: readonly string[],
  options: ConfigOptions,
): Promise<LoadedConfig> {
  const { build, failure } = await tryLoad({ ...options, sections });
  // Also before an error: that a shell was asked explains a pause.
  reportFindings(
    call,
    build.findings.filter(({ code }) => code === "login-shell"),
  );
  if (failure !== undefined) throw failure.error;
  reportUnknown(call, sections, build.findings);
  return loaded(build);
}

/** One line, however many there are. */
function reportUnknown(call: Call, sections: readonly string[], findings: readonly Finding[]): void {
  const [first, ...others] = findings.filter(
    ({ code, path }) => code === "unknown-key" && sections.includes(meantSection(path)),
  );
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` (and ${others.length} more: run ${PROGRAM} config validate)`;
  reportText(call, `${findingText(first)}${more}`, first.path);
}

/** The section of a path, whose name may be mistyped. */
function meantSection(path: string): string {
  const [name = ""] = /^[^.[]*/.exec(path) ?? [];
  return Object.hasOwn(SECTIONS, name) ? name : (closestWord(name, Object.keys(SECTIONS)) ?? name);
}
