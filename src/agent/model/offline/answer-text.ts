/** An answer from what was found, as Markdown. */
import type { FoundChunk } from "../../../memory/recall/searcher.ts";
import type { SearchHit } from "../../../store/search/hits.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Answers } from "./find-answers.ts";

const INTRODUCTION =
  "I am not a language model: I look up what you ask in your stored conversations and memory.";
const ADD_A_KEY = "To talk to a language model, add a key: `colloquy auth add anthropic`.";

/** Why no language model answers. */
function reason(insteadOf: string | undefined): string {
  if (insteadOf === undefined) return ADD_A_KEY;
  const name = safeLine(insteadOf).replaceAll("`", "");
  const provider = name.slice(0, name.indexOf("/"));
  return `The config asks for \`${name}\`, which has no key. Add one: \`colloquy auth add ${provider}\`.`;
}

const NOTHING_STORED = `Nothing is stored yet that I could look in.
Import your conversations with \`colloquy import PATH\`, for example \`colloquy import ~/.claude/projects\`,
or save a note with \`colloquy memory add "Anna likes green tea"\`.`;

const NOTHING_FOUND = "I found nothing about this in your stored conversations. Other words may find more.";

export const ONLY_WORDS = "I can only look up words. Ask me with a few of them.";

const SNIPPET_CHARS_MAX = 240;

export interface AnswerOptions {
  /** The model of the config, if this one answers because that one has no key. The first answer says so. */
  readonly insteadOf?: string | undefined;
  /** The address of a message where the answer is shown. Default: its conversation and its id are named. */
  readonly linkTo?: ((conversation: string, entry: string) => string) | undefined;
}

export function answerText(
  { hits, chunks, isEmpty }: Answers,
  isFirst: boolean,
  { insteadOf, linkTo }: AnswerOptions = {},
): string {
  const parts: string[] = [];
  if (isEmpty) parts.push(NOTHING_STORED);
  else if (hits.length + chunks.length === 0) parts.push(NOTHING_FOUND);
  // Lists show how an answer begins: with words that were found.
  parts.push([...hits.map((hit) => cited(hit, linkTo)), ...chunks.map(remembered)].join("\n"));
  if (isFirst) parts.push(`${INTRODUCTION}\n${reason(insteadOf)}`);
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Texts are quoted on one line, so that none of them can pass for a part of the answer. */
function cited(hit: SearchHit, linkTo: AnswerOptions["linkTo"]): string {
  const { title, key, conversation, entry, role, at, snippet } = hit;
  const name = safeLine(title ?? "Untitled").replace(/[*[\]\\`<>]/g, "");
  const said = `${role}, ${at.slice(0, 10)}`;
  const quoted = `- “${shortened(snippet)}”\n `;
  if (linkTo !== undefined && entry !== null)
    return `${quoted} [**${name}**](${linkTo(conversation, entry)}), ${said}`;
  return `${quoted} **${name}**, ${said} · \`${key ?? conversation}\` · \`${entry}\``;
}

function remembered({ source, lines, at, text, id }: FoundChunk): string {
  const place = source.startsWith("note:") ? "Note" : `${safeLine(source)}:${lines.first}`;
  return `- “${shortened(text)}”\n  **${place.replaceAll("*", "")}** in your memory, ${at.slice(0, 10)} · \`${id}\``;
}

function shortened(text: string): string {
  const line = safeLine(text).replace(/\s+/g, " ").trim();
  return line.length <= SNIPPET_CHARS_MAX ? line : `${line.slice(0, SNIPPET_CHARS_MAX).toWellFormed()}…`;
}
