import type { Output } from "./output.ts";

/** An option of a command. */
export interface OptionSpec {
  readonly short?: string;
  /** The placeholder for the value in help texts. An option without one is a flag. */
  readonly value?: string;
  readonly help: string;
  /** May be given more than once. */
  readonly multiple?: true;
  /** Options that cannot be given together with it. */
  readonly without?: readonly string[];
}

/** A positional argument. */
export interface ArgumentSpec {
  readonly name: string;
  readonly optional?: boolean;
  /** What it may be, for help texts. */
  readonly help?: string;
  /** Any number of them. Only the last argument may say so. */
  readonly many?: boolean;
  /** What the argument is when several words were typed and the quotes were probably forgotten. */
  readonly phrase?: string;
}

/** Commands that share a line of the overview. */
export interface Topic {
  readonly group: "Conversations" | "Branches" | "Maintenance" | "Help";
  readonly summary: string;
  /** The overview shows only the first word of these commands, which has its own help. */
  readonly families?: true;
}

export const READ: Topic = { group: "Conversations", summary: "Find and read conversations" };

export const AGENT: Topic = {
  group: "Conversations",
  summary: "Talk to an agent; keep notes",
  families: true,
};

export const STATE: Topic = {
  group: "Maintenance",
  summary: "Manage settings, API keys and models",
  families: true,
};

export interface CommandSpec {
  /** The words to type; empty for the first screen. */
  readonly name: string;
  readonly topic: Topic;
  /** One line. */
  readonly summary: string;
  /** What to know before using it. */
  readonly details?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /** The options without which it does nothing, as in a usage line. */
  readonly required?: string;
  /** The option for a text that was typed as an argument. */
  readonly textOption?: string;
  readonly examples: readonly string[];
  /** Loaded when the command runs, so that a command does not pay for the code of others. */
  readonly load: () => Promise<{ readonly run: Run }>;
}

/** One run of a command: the parsed words, and where the output goes. */
export interface Call {
  readonly command: CommandSpec;
  readonly args: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  /** Values of options that may be given more than once. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly flags: ReadonlySet<string>;
  readonly json: boolean;
  readonly out: Output;
}

/** What a command shows, as JSON or as text. */
export interface Result {
  /** `null` when the command has written its output itself, piece by piece. */
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly lines?: readonly string[];
  /** The lines may be more than fit a screen. */
  readonly isLong?: true;
  /** Hints that are not part of the output. */
  readonly notes?: readonly string[];
  /** Default: done. */
  readonly exit?: number;
}

/** Returns the result to show. Throws on failure. */
type Run = (call: Call) => Promise<Result> | Result;
