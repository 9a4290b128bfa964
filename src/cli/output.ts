import type { ColloquyError } from "../errors.ts";
import { safeLine } from "../util/visible-text.ts";
import { ListedError } from "./exit.ts";
import { styled } from "./terminal/colours.ts";
import { jsonChunks, jsonText } from "./terminal/json-text.ts";
import type { Surface } from "./terminal/table.ts";

/** Where a command writes, and how much fits there. */
export interface Output extends Surface {
  /** Lines for a reader, already safe for a terminal. */
  lines(lines: readonly string[]): void;
  /** Lines that may be more than fit a screen: in a pager then. */
  page(lines: readonly string[]): Promise<void>;
  /** One JSON document. */
  json(document: Readonly<Record<string, unknown>>): void;
  /** A hint that is not part of the output: on standard error when the output is piped. */
  note(line: string): void;
}

const WRITE_CHARS = 1 << 16;

export function standardOutput(): Output {
  const { stdout } = process;
  const print = (lines: readonly string[]): void => {
    stdout.write(`${lines.join("\n")}\n`);
  };
  return {
    columns: columnsOf(stdout),
    lines: print,
    page: async (lines) => {
      // The prompt needs a line too.
      if (!stdout.isTTY || lines.length < stdout.rows) return print(lines);
      const { showInPager } = await import("./terminal/pager.ts");
      if (!(await showInPager(lines))) print(lines);
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
    style: (style, text) => styled(stdout, style, text),
  };
}

/** One line on standard error, with a table if there is one, or JSON. Written at once, before the output. */
export function report(kind: "error" | "warning", error: ColloquyError, json: boolean): void {
  const word =
    kind === "error" ? styled(process.stderr, "red", "Error:") : styled(process.stderr, "yellow", "Warning:");
  if (json) {
    process.stderr.write(`${jsonText({ [kind]: error.toJSON() }, 0)}\n`);
    return;
  }
  const [message, table] =
    error instanceof ListedError ? [error.heading, error.table(errorSurface())] : [error.message, []];
  process.stderr.write(`${[`${word} ${safeLine(message)}`, ...table].join("\n")}\n`);
}

function errorSurface(): Surface {
  const { stderr } = process;
  return { columns: columnsOf(stderr), style: (style, text) => styled(stderr, style, text) };
}

/** `COLUMNS` takes precedence, as in other tools; it fits a table to a file, for example. */
function columnsOf(stream: NodeJS.WriteStream): number {
  const wanted = Number(process.env.COLUMNS);
  if (Number.isSafeInteger(wanted) && wanted > 0) return wanted;
  return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
}
