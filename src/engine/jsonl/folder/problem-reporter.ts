import { type ColloquyError, unavailable } from "../../../errors.ts";
import type { BadLine } from "../../../transcript/log-state.ts";
import type { LegacyIo } from "../legacy/legacy-io.ts";

/** Passes damage that was worked around to `onProblem`, once for each file: one may have millions of bad lines. */
export class ProblemReporter {
  readonly #legacy: LegacyIo;
  readonly #onProblem: (problem: ColloquyError) => void;
  readonly #reported = new Set<string>();
  readonly #withBadLines = new Set<string>();

  constructor(legacy: LegacyIo, onProblem: (problem: ColloquyError) => void) {
    this.#legacy = legacy;
    this.#onProblem = onProblem;
  }

  report(place: string, message: string): void {
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    this.#onProblem(unavailable(message));
  }

  /** A line of a legacy file is reported at its place in that file, not in the log it is shown as. */
  badLine(path: string, line: BadLine): void {
    // Asking for a legacy file takes longer than to forget the line.
    if (this.#withBadLines.has(path)) return;
    this.#withBadLines.add(path);
    const legacy = this.#legacy.isEmpty ? undefined : this.#legacy.ofLog(path);
    const bad = legacy?.problems.find(({ code }) => code === "bad-line") ?? line;
    const file = legacy?.files.log ?? path;
    this.report(`${file}: line`, `${file}: bytes ${bad.start} to ${bad.end}: ${bad.reason}`);
  }

  damagedMetadata(path: string, reason: string): void {
    this.report(path, `${path} is damaged (${reason}); its backup or the transcript is used instead`);
  }

  damagedFeed(path: string, reason: string): void {
    this.report(path, `${path} is damaged: ${reason}. Readers of changes start again`);
  }

  /** A file that is not, or cannot be, part of the store. */
  leftAlone(path: string, reason: string): void {
    this.report(path, `${path} was ignored: ${reason}`);
  }
}
