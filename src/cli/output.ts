import { styleText } from "node:util";
import type { ColloquyError } from "../errors.ts";
import { safeLine } from "../util/visible-text.ts";
import { jsonChunks, jsonText } from "./terminal/json-text.ts";

type Style = "bold" | "dim" | "green" | "yellow" | "red" | "cyan";

/** Where a command writes, and how much fits there. */
export interface Output {
  /** The width to fit; `Infinity` for a file or pipe, so that nothing is cut. */
  readonly columns: number;
  /** Lines for a reader, already safe for a terminal. */
  lines(lines: readonly string[]): void;
  /** One JSON document. */
  json(document: Readonly<Record<string, unknown>>): void;
  /** A hint that is not part of the output: on standard error when the output is piped. */
  note(line: string): void;
  style(style: Style, text: string): string;
}

const WRITE_CHARS = 1 << 16;

export function standardOutput(): Output {
  const { stdout } = process;
  const colours = stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  return {
    columns: columnsOf(stdout),
    lines: (lines) => {
      stdout.write(`${lines.join("\n")}\n`);
    },
    json: (document) => {
      let text = "";
      for (const chunk of jsonChunks(document, stdout.isTTY ? 2 : 0)) {
        text += chunk;
        if (text.length < WRITE_CHARS) continue;
        stdout.write(text);
        text = "";
      }
      stdout.write(text);
    },
    note: (line) => {
      (stdout.isTTY ? stdout : process.stderr).write(`${line}\n`);
    },
    style: (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** One line on standard error, or JSON. Written at once, so that a warning precedes the output. */
export function report(kind: "error" | "warning", error: ColloquyError, json: boolean): void {
  const word = kind === "error" ? "Error" : "Warning";
  const line = json ? jsonText({ [kind]: error.toJSON() }, 0) : `${word}: ${safeLine(error.message)}`;
  process.stderr.write(`${line}\n`);
}

/** `COLUMNS` takes precedence, as in other tools; it fits a table to a file, for example. */
function columnsOf(stdout: NodeJS.WriteStream): number {
  const wanted = Number(process.env.COLUMNS);
  if (Number.isSafeInteger(wanted) && wanted > 0) return wanted;
  return stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
}
