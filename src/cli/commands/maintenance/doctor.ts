import type { Checkup, Fix, Fixed } from "../../../doctor/finding.ts";
import { runDoctor } from "../../../doctor/run-doctor.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { configOptions } from "../../input/config-options.ts";
import { nextCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { storeTarget } from "../../store/store-target.ts";
import { counted } from "../../terminal/count-text.ts";
import { wrap } from "../../terminal/wrap.ts";
import { fixText } from "../../view/fix-text.ts";

export async function run(call: Call): Promise<Result> {
  const { out, values } = call;
  const fix = call.flags.has("fix");
  const { text: target, engine, path, named, missing } = storeTarget(values);
  // The indexes describe the usual store, not one that is named for a single command.
  const store = { target, engine, path, expected: named || !missing, indexed: !values.has("store") };
  const { ok, checkups, findings, fixed } = await runDoctor({
    config: configOptions(call),
    store,
    fix,
  });
  const advice = (found: Fix): string => fixText(found, values);
  const shown = findings.map((found) => {
    const { code, severity, what } = found;
    return { code, severity, what, fix: advice(found.fix) };
  });
  const canFix = !fix && findings.some(({ fixable }) => fixable);
  return {
    json: { ok, findings: shown, ...(fix ? { fixed } : {}) },
    lines: lines(out, checkups, fixed, advice),
    notes: canFix ? [`To fix what is safe to fix: ${nextCommand("doctor --fix", values)}`] : [],
    exit: ok ? EXIT_DONE : EXIT_PROBLEMS,
  };
}

const NO_MARK = " ".repeat(7);

function beside(out: Output, mark: string, text: string, style?: "dim"): string[] {
  return wrap(safeLine(text), out.columns - NO_MARK.length - 2).map((line, index) => {
    const styled = style === undefined ? line : out.style(style, line);
    return `${index === 0 ? mark : NO_MARK}  ${styled}`;
  });
}

const MARKS = { error: "red", warning: "yellow", note: "cyan" } as const;

function lines(
  out: Output,
  checkups: readonly Checkup[],
  fixed: readonly Fixed[],
  advice: (fix: Fix) => string,
): string[] {
  const found = checkups.flatMap(({ findings }) => findings).filter(({ severity }) => severity !== "note");
  return [
    ...fixed.flatMap(({ what }) => beside(out, out.style("green", "fixed  "), what)),
    ...checkups.flatMap(({ checked, findings }) => [
      ...(findings.length === 0 ? beside(out, out.style("green", "ok     "), checked) : []),
      ...findings.flatMap(({ severity, what, fix }) => [
        ...beside(out, out.style(MARKS[severity], severity.padEnd(7)), what),
        ...beside(out, NO_MARK, advice(fix), "dim"),
      ]),
    ]),
    "",
    found.length === 0 ? "No problems found." : `${counted(found.length, "problem")} found.`,
  ];
}
