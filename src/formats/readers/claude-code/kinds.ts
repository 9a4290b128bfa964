/** The known records of Claude Code. Others are kept and reported. */

/** Records that are in the tree by their `uuid`. */
export const TREE_TYPES: ReadonlySet<string> = new Set([
  ...["user", "assistant", "system", "attachment", "progress"],
]);

/** Records that say something about the conversation or the program. */
export const SIDE_TYPES: ReadonlySet<string> = new Set([
  ...["summary", "ai-title", "custom-title", "tag", "last-prompt", "mode", "permission-mode"],
  ...["agent-name", "agent-setting", "agent-color", "pr-link", "bridge-session", "queue-operation"],
  ...["file-history-snapshot", "content-replacement", "relocated", "attribution-snapshot"],
  ...["history-suppression", "atis-latch", "tools-used", "data-flow-records", "derived-from"],
]);

export const SYSTEM_SUBTYPES: ReadonlySet<string> = new Set([
  ...["compact_boundary", "microcompact_boundary", "turn_duration", "stop_hook_summary", "local_command"],
  ...["api_error", "away_summary", "informational", "bridge_status", "model_refusal_fallback"],
]);

export const ATTACHMENT_TYPES: ReadonlySet<string> = new Set([
  ...["file", "queued_command", "deferred_tools_delta", "mcp_instructions_delta"],
  ...["compact_file_reference", "task_reminder"],
]);

export const BLOCK_TYPES: ReadonlySet<string> = new Set([
  ...["text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"],
  ...["server_tool_use", "web_search_tool_result", "tool_reference"],
]);
