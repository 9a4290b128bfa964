/** Which reader a file is for: by what it holds, with its path only where the content says too little. */
import type { JsonObject } from "../../util/json.ts";
import type {
  DatabaseFormat,
  DocumentFormat,
  ImportFormat,
  LinesFormat,
  SourceDatabase,
} from "../contract/reader.ts";
import { agentDatabase } from "../readers/agent-sqlite/index.ts";
import { chatgpt } from "../readers/chatgpt/index.ts";
import { claudeAi } from "../readers/claude-ai/index.ts";
import { claudeCode } from "../readers/claude-code/index.ts";
import { codex, codexDocument } from "../readers/codex/index.ts";
import { colloquyJson, colloquyLines } from "../readers/colloquy/index.ts";
import { geminiDocument, geminiLines } from "../readers/gemini/index.ts";
import { goclawLines } from "../readers/goclaw/index.ts";
import { isKomatachiPath, komatachiLines } from "../readers/komatachi/index.ts";
import { librechat } from "../readers/librechat/index.ts";
import { llamaUi } from "../readers/llama-ui/index.ts";
import { openWebui } from "../readers/open-webui/index.ts";
import { openaiChatDocument, openaiChatLines } from "../readers/openai-chat/index.ts";
import {
  isOpenclawCopy,
  isOpenclawPath,
  openclawDatabase,
  openclawIndex,
} from "../readers/openclaw/index.ts";
import { opencodeDatabase, opencodeDocument } from "../readers/opencode/index.ts";
import { personalAgentDocument, personalAgentLines } from "../readers/personal-agent/index.ts";
import { openclawTranscript, pi } from "../readers/pi/index.ts";
import { sharegptDocument, sharegptLines } from "../readers/sharegpt/index.ts";

/** The most particular first: a plain chat is what is left when nothing else fits. */
const LINES: readonly LinesFormat[] = [
  llamaUi,
  pi,
  codex,
  claudeCode,
  geminiLines,
  colloquyLines,
  goclawLines,
  personalAgentLines,
  sharegptLines,
  komatachiLines,
  openaiChatLines,
];

const DOCUMENTS: readonly DocumentFormat[] = [
  colloquyJson,
  chatgpt,
  claudeAi,
  openWebui,
  librechat,
  geminiDocument,
  codexDocument,
  openclawIndex,
  opencodeDocument,
  personalAgentDocument,
  sharegptDocument,
  openaiChatDocument,
];

const DATABASES: readonly DatabaseFormat[] = [openclawDatabase, opencodeDatabase, agentDatabase];

const FORMATS: readonly ImportFormat[] = [...LINES, openclawTranscript, ...DOCUMENTS, ...DATABASES];

/** What `--from` takes. */
export const FORMAT_NAMES: readonly string[] = [...new Set(FORMATS.map(({ name }) => name))].sort();

const COMPANION =
  /-(?:wal|shm|journal)$|\.meta\.json$|\/metadata\.json$|\/session_index\.jsonl$|\/tool-results\/[^/]+$/;

/** Files that belong to a transcript, and copies of one: what they say is read with it. */
export function isCompanion(path: string): boolean {
  return COMPANION.test(path) || isOpenclawCopy(path);
}

export function linesFormat(
  records: readonly JsonObject[],
  path: string,
  wanted: string | undefined,
): LinesFormat | undefined {
  if (wanted !== undefined)
    return FORMATS.find((format): format is LinesFormat => is(format, "lines", wanted));
  const found = LINES.find((format) => format.sniff(records));
  if (found === pi && isOpenclawPath(path)) return openclawTranscript;
  if (found === openaiChatLines && isKomatachiPath(path)) return komatachiLines;
  return found;
}

export function documentFormat(value: JsonObject, wanted: string | undefined): DocumentFormat | undefined {
  return DOCUMENTS.find((format) => (wanted === undefined ? format.sniff(value) : format.name === wanted));
}

/** The most particular one that any of the values belongs to. */
export function firstDocumentFormat(
  values: readonly JsonObject[],
  wanted: string | undefined,
): DocumentFormat | undefined {
  if (wanted !== undefined) return DOCUMENTS.find(({ name }) => name === wanted);
  return DOCUMENTS.find((format) => values.some((value) => format.sniff(value)));
}

export function databaseFormat(
  database: SourceDatabase,
  wanted: string | undefined,
): DatabaseFormat | undefined {
  return DATABASES.find(
    (format) => (wanted === undefined || format.name === wanted) && format.sniff(database),
  );
}

function is(format: ImportFormat, kind: ImportFormat["kind"], name: string): boolean {
  return format.kind === kind && format.name === name;
}
