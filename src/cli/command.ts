import type { Output } from "./output.ts";

/** One option of a command. */
export interface OptionSpec {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** What stands for the value in help texts. */
  readonly value?: string;
  readonly help: string;
  /** May be given more than once. */
  readonly multiple?: true;
}

/** One place on the command line behind the command's name. */
export interface ArgumentSpec {
  readonly name: string;
  readonly optional?: boolean;
  /** The last one, any number of times. */
  readonly many?: boolean;
  /** What several words were probably meant to be, and quotes were forgotten. */
  readonly phrase?: string;
}

/** What some commands have in common: a line of the overview. */
export interface Topic {
  readonly group: "Conversations" | "Branches" | "In and out" | "Care" | "Help";
  readonly summary: string;
  /** The overview names the words in front only: what is behind them is told by their own help. */
  readonly families?: true;
}

/** Settings and what belongs to them. */
export const STATE: Topic = {
  group: "Care",
  summary: "Settings, keys of providers, their models",
  families: true,
};

export interface CommandSpec {
  /** The words that a person types; none for the first screen. */
  readonly name: string;
  readonly topic: Topic;
  /** One line. */
  readonly summary: string;
  /** What else is to be known before using it. */
  readonly details?: string;
  readonly args: readonly ArgumentSpec[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly string[];
  /** Loaded when the command runs, so that no command pays for another one's code. */
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** One use of the command: what was typed, and where the answer goes. */
export interface Call {
  readonly command: CommandSpec;
  readonly args: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  /** Of options that may be given more than once. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly flags: ReadonlySet<string>;
  readonly json: boolean;
  readonly out: Output;
}

/** Returns the exit code: 0 done, 3 problems found. What fails throws. */
type Run = (call: Call) => Promise<number> | number;
