import { invalid } from "../../errors.ts";
import { checkLabel, checkProperties } from "../../message/validate.ts";

export type ExportFormat =
  | "markdown"
  | "html"
  | "json"
  | "jsonl"
  | "openclaw"
  | "claude-code"
  | "codex"
  | "claude"
  | "openai"
  | "ai-sdk";

export interface ExportOptions {
  readonly to: ExportFormat;
  /** Default: the checked-out branch, or all of them where the format keeps a tree (`json`, `jsonl`, `openclaw`). */
  readonly branch?: string;
  readonly allBranches?: boolean;
  /** Include tool calls and results. Default: yes. */
  readonly tools?: boolean;
  /** Include the thinking of the model. Default: yes. */
  readonly thinking?: boolean;
  /** Redact text that looks like a secret. Default: yes for `markdown` and `html`, which are often shared. */
  readonly redact?: boolean;
  /** Values that are secrets whatever they look like. Redacted where `redact` is on. */
  readonly secrets?: readonly string[];
}

export interface FormatTraits {
  readonly extension: string;
  /** `one`: a list of messages, which cannot hold several branches. */
  readonly branches: "one" | "choice" | "tree";
  readonly redacts: boolean;
}

export const EXPORT_FORMATS: Readonly<Record<ExportFormat, FormatTraits>> = {
  markdown: { extension: ".md", branches: "choice", redacts: true },
  html: { extension: ".html", branches: "choice", redacts: true },
  json: { extension: ".json", branches: "tree", redacts: false },
  jsonl: { extension: ".jsonl", branches: "tree", redacts: false },
  openclaw: { extension: ".jsonl", branches: "tree", redacts: false },
  "claude-code": { extension: ".jsonl", branches: "one", redacts: false },
  codex: { extension: ".jsonl", branches: "one", redacts: false },
  claude: { extension: ".json", branches: "one", redacts: false },
  openai: { extension: ".json", branches: "one", redacts: false },
  "ai-sdk": { extension: ".json", branches: "one", redacts: false },
};

/** The options with all defaults filled in. */
export interface Wanted {
  readonly to: ExportFormat;
  readonly branch: string | undefined;
  readonly all: boolean;
  readonly tools: boolean;
  readonly thinking: boolean;
  readonly redact: boolean;
  readonly secrets: readonly string[];
}

export function checkOptions(options: ExportOptions): Wanted {
  checkProperties(options, MEMBERS, "options");
  const { to, branch, allBranches, tools = true, thinking = true, secrets = [] } = options;
  if (!Object.hasOwn(EXPORT_FORMATS, to)) {
    throw invalid(`Unknown format "${to}": expected one of ${Object.keys(EXPORT_FORMATS).join(", ")}`, "to");
  }
  const traits = EXPORT_FORMATS[to];
  if (allBranches && branch !== undefined)
    throw invalid("Pass either `branch` or `allBranches`, not both", "branch");
  if (allBranches && traits.branches === "one") {
    throw invalid(`${to} holds one branch: specify it with branch`, "allBranches");
  }
  return {
    to,
    branch: branch === undefined ? undefined : checkLabel(branch, "branch"),
    all: allBranches ?? (traits.branches === "tree" && branch === undefined),
    tools,
    thinking,
    redact: options.redact ?? traits.redacts,
    secrets,
  };
}

const MEMBERS: ReadonlySet<string> = new Set([
  ...["to", "branch", "allBranches", "tools", "thinking", "redact", "secrets"],
]);
