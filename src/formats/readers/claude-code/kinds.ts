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
  ...["api-request", "api-request-shape", "api-request-blob", "cost-state", "repl-mode", "worktree-state"],
  ...["file-history-delta", "fork-context-ref", "frame-link", "memory-mode", "session-owner"],
]);

export const SYSTEM_SUBTYPES: ReadonlySet<string> = new Set([
  ...["compact_boundary", "microcompact_boundary", "turn_duration", "stop_hook_summary", "local_command"],
  ...["api_error", "away_summary", "informational", "bridge_status", "model_refusal_fallback"],
  ...["model_refusal_no_fallback"],
]);

export const ATTACHMENT_TYPES: ReadonlySet<string> = new Set([
  ...["file", "queued_command", "deferred_tools_delta", "mcp_instructions_delta"],
  ...["compact_file_reference", "task_reminder", "environment", "model", "agent_listing_delta"],
  ...["skill_listing", "total_tokens_reminder", "session_context", "date", "remote_session_change"],
  ...["prompt_snapshot", "instructions", "nested_memory", "relevant_memories", "invoked_skills"],
  ...["edited_text_file", "already_read_file", "directory", "diagnostics", "plan_file_reference"],
  ...["plan_mode", "plan_mode_exit", "plan_mode_reentry", "auto_mode", "auto_mode_exit", "todo_reminder"],
  ...["task_status", "critical_system_reminder", "hook_success", "hook_additional_context"],
  ...["hook_blocking_error", "hook_non_blocking_error", "hook_cancelled", "async_hook_response"],
  ...["hook_stopped_continuation", "hook_system_message", "goal_status", "budget_usd", "max_turns_reached"],
  ...["mcp_resource", "selected_lines_in_ide", "opened_file_in_ide", "structured_output"],
  ...["deferred_tools_record", "language", "output_style", "output_style_instructions", "ultrathink_effort"],
]);

export const BLOCK_TYPES: ReadonlySet<string> = new Set([
  ...["text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"],
  ...["server_tool_use", "web_search_tool_result", "tool_reference"],
]);
