/** The formats that a conversation can be saved in. */
export const EXPORTS: readonly { readonly format: string; readonly name: string; readonly what: string }[] = [
  { format: "markdown", name: "Markdown", what: "To read and share; secrets are masked" },
  { format: "html", name: "HTML", what: "One page to read and share; secrets are masked" },
  { format: "json", name: "JSON", what: "Everything, with all branches" },
  { format: "jsonl", name: "JSONL", what: "Everything, one entry a line, as Colloquy stores it" },
  { format: "openclaw", name: "OpenClaw", what: "A session file of OpenClaw" },
  { format: "claude-code", name: "Claude Code", what: "A session that Claude Code can resume" },
  { format: "codex", name: "Codex", what: "A session that Codex can resume" },
  { format: "claude", name: "Claude API", what: "Messages of the checked-out branch for the Messages API" },
  { format: "openai", name: "OpenAI API", what: "Messages of the checked-out branch for Chat Completions" },
  { format: "ai-sdk", name: "AI SDK", what: "Messages of the checked-out branch for the AI SDK" },
];
