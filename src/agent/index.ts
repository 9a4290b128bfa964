/** `colloquy/agent`: a loop around a language model that stores every step. */

export {
  type AgentDefinition,
  agentById,
  defaultAgentId,
  SPAWN_LIMITS,
  type SpawnLimits,
} from "./agents/agent-definition.ts";
export { agentFor, type MessagePlace } from "./agents/agent-for.ts";
export { AgentTools, type AgentToolsOptions, type RunTools } from "./agents/agent-tools.ts";
export { SharedTools, type SharedToolsOptions } from "./agents/shared-tools.ts";
export type { ChannelLike, Extension, ExtensionContext, ExtensionFactory } from "./extensions/extension.ts";
export type { Extensions } from "./extensions/load-extensions.ts";
export { AgentLoop } from "./loop/agent-loop.ts";
export type { AgentEvent, RunResult, RunStopReason } from "./loop/events.ts";
export type { AgentOptions, RunOptions } from "./loop/options.ts";
export { recordSession, type SessionUsage, sessionUsage } from "./loop/record-session.ts";
export { usageOf } from "./loop/usage.ts";
export {
  type ChatModel,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  type StopReason,
  THINKING_LEVELS,
  type ThinkingLevel,
  type ToolDescription,
} from "./model/chat-model.ts";
export { type ChosenModel, chooseModel, isOffline, type ModelChoices } from "./model/choose-model.ts";
export {
  type ResumedSession,
  type ResumeSessionOptions,
  resumeSession,
} from "./model/claude-code/resume-session.ts";
export type { SessionAnswer, SessionEvent } from "./model/claude-code/session.ts";
export { type OfflineModelOptions, offlineModel } from "./model/offline/offline-model.ts";
export { type OpenModelOptions, openModel } from "./model/open-model.ts";
export { findSkills, type Skill, type SkillOptions, type SkillProblem, Skills } from "./skills/skills.ts";
export { type SystemPromptOptions, systemPrompt } from "./system/system-prompt.ts";
export type { ToolLimits } from "./tools/approvals/approval.ts";
export {
  type ApprovalOptions,
  type ApprovalRequest,
  type Approve,
  approvedTools,
} from "./tools/approvals/approved-tools.ts";
export { type BuiltInOptions, builtInTools } from "./tools/built-in/built-in-tools.ts";
export type { SkillSource } from "./tools/built-in/read-skill.ts";
export type { SearchScope } from "./tools/built-in/search-conversations.ts";
export { type SpawnedSession, type SpawnLoopsOptions, spawnLoops } from "./tools/built-in/spawn-loops.ts";
export type { Spawn, SpawnRequest, StartAgentOptions } from "./tools/built-in/start-agent.ts";
export { checkInput } from "./tools/check-input.ts";
export { defineTool, type ToolDefinition } from "./tools/define-tool.ts";
export { type McpOptions, McpTools } from "./tools/mcp/mcp-tools.ts";
export type { HttpSettings, McpServerSettings, ProcessSettings } from "./tools/mcp/settings.ts";
export { ToolRegistry } from "./tools/registry.ts";
export type { InputOf, ObjectSchema } from "./tools/schema-type.ts";
export type { Tool, ToolCall, ToolOutput } from "./tools/tool.ts";
