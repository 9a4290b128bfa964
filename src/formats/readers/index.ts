/** All formats. To add one, add a folder here and a line to this list. */
import type { FormatDeclaration } from "../contract/format.ts";
import { agentSqlite } from "./agent-sqlite/index.ts";
import { chatgpt } from "./chatgpt/index.ts";
import { claudeAi } from "./claude-ai/index.ts";
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import { colloquy } from "./colloquy/index.ts";
import { gemini } from "./gemini/index.ts";
import { goclaw } from "./goclaw/index.ts";
import { komatachi } from "./komatachi/index.ts";
import { librechat } from "./librechat/index.ts";
import { llamaUi } from "./llama-ui/index.ts";
import { openWebui } from "./open-webui/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openclaw } from "./openclaw/index.ts";
import { opencode } from "./opencode/index.ts";
import { personalAgent } from "./personal-agent/index.ts";
import { pi } from "./pi/index.ts";
import { sharegpt } from "./sharegpt/index.ts";

/**
 * The most particular first, because the first whose `sniff` agrees reads the
 * file: llama.cpp's UI and OpenClaw write sessions that look like pi's, and a
 * plain chat comes last.
 */
export const FORMATS: readonly FormatDeclaration[] = [
  llamaUi,
  openclaw,
  pi,
  codex,
  claudeCode,
  gemini,
  colloquy,
  goclaw,
  chatgpt,
  claudeAi,
  openWebui,
  librechat,
  opencode,
  personalAgent,
  sharegpt,
  komatachi,
  openaiChat,
  agentSqlite,
];
