/** What is indexed of a message. */
import { isRedacted } from "../message/redacted.ts";
import { textOf } from "../message/text.ts";
import type { Block, Message, StoredEntry } from "../message/types.ts";
import { indexWords } from "../text/index-words.ts";
import { isPlainObject } from "../util/json.ts";
import { withoutSequences } from "../util/visible-text.ts";
import { FIELDS, type Field } from "./schema.ts";

/** Longer texts are indexed up to here. */
const CHARS_MAX: Readonly<Record<Field, number>> = {
  text: 256 * 1024,
  thinking: 64 * 1024,
  tool: 4 * 1024,
  output: 8 * 1024,
  title: 1024,
};

/** Of tool output, an index needs no more than this. */
export const OUTPUT_CHARS_MAX: number = CHARS_MAX.output;

export type FieldTexts = Readonly<Partial<Record<Field, string>>>;

/** The words of one field of a message, as they are indexed. */
export interface FieldDocument {
  /** A place in `FIELDS`. */
  readonly field: number;
  readonly words: string;
  readonly length: number;
  /** A place in `LANGUAGES`. */
  readonly language: number;
}

export function documentsOf(entry: StoredEntry): FieldDocument[] {
  const { message, at } = entry;
  if (message === undefined || isRedacted(entry)) return [];
  const facets = facetsOf(message, at);
  return Object.entries(fieldTexts(message)).flatMap(([field, text]) =>
    document(field as Field, field === "text" ? `${text}\n${speakerOf(message)}` : text, facets),
  );
}

const NAME_CHARS_MAX = 100;

/** The name of the person who wrote a message, if its channel or its importer reported one. */
function speakerOf({ provenance }: Message): string {
  const name = provenance?.fromName;
  return typeof name === "string" ? name.slice(0, NAME_CHARS_MAX) : "";
}

export function titleDocument(title: string): FieldDocument | undefined {
  return document("title", title, "")[0];
}

function document(field: Field, text: string, facets: string): FieldDocument[] {
  const { words, length, language } = indexWords(text.slice(0, CHARS_MAX[field] + NAME_CHARS_MAX));
  if (words.length === 0) return [];
  return [{ field: FIELDS.indexOf(field), words: `${words.join(" ")}${facets}`, length, language }];
}

/** The text of each field that a message has, as far as it is indexed, without the colours that tools print. */
export function fieldTexts(message: Message): FieldTexts {
  const texts = Object.entries(wholeTexts(message));
  return Object.fromEntries(texts.map(([field, text]) => [field, text.slice(0, CHARS_MAX[field as Field])]));
}

function wholeTexts({ content }: Message): FieldTexts {
  if (typeof content === "string") return { text: withoutSequences(content) };
  const texts: Partial<Record<Field, string>> = {};
  for (const block of content) {
    const [field, written] = blockText(block);
    const text = withoutSequences(written);
    const before = texts[field];
    if (text !== "") texts[field] = before === undefined ? text : `${before}\n\n${text}`;
  }
  return texts;
}

function blockText(block: Block): [Field, string] {
  switch (block.type) {
    case "thinking":
      return ["thinking", String(block.thinking ?? "")];
    case "tool_use":
      return ["tool", `${block.name}\n${stringsIn(block.input).join("\n")}`];
    case "tool_result":
      return ["output", textOf({ content: [block] }, { toolResults: true })];
    case "document":
      return ["text", documentText(block.source)];
    default:
      return ["text", textOf({ content: [block] })];
  }
}

function documentText(source: unknown): string {
  return isPlainObject(source) && source.type === "text" && typeof source.data === "string"
    ? source.data
    : "";
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Filters are words that no text has. */
export const FACETS = {
  role: (role: string): string => `=role:${role}`,
  model: (model: string): string => `=model:${facetWord(model)}`,
  tool: (tool: string): string => `=tool:${facetWord(tool)}`,
  code: "=is:code",
  /** `2026-01` */
  month: (month: string): string => `=month:${month}`,
} as const;

function facetWord(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d.+=:_\-\u0080-\uffff]/g, "_");
}

const CODE = /```|^ {4}\S.*[;{})]$/m;

function facetsOf(message: Message, at: string): string {
  const facets = [FACETS.role(message.role), FACETS.month(at.slice(0, 7))];
  if (typeof message.model === "string") facets.push(FACETS.model(message.model));
  const blocks = typeof message.content === "string" ? [] : message.content;
  for (const block of blocks) {
    if (block.type === "tool_use" && typeof block.name === "string") facets.push(FACETS.tool(block.name));
  }
  if (CODE.test(textOf(message))) facets.push(FACETS.code);
  return ` ${facets.join(" ")}`;
}
