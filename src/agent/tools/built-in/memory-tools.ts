/** Tools that read and change memory. */
import { ColloquyError, invalid } from "../../../errors.ts";
import { markRecalled } from "../../../memory/chunk/recalled.ts";
import type { Memory } from "../../../memory/memory.ts";
import type { FoundChunk } from "../../../memory/recall/searcher.ts";
import { isUuid, uuidFromHash } from "../../../util/uuid.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool, ToolCall } from "../tool.ts";

const RECALLED_CHARS_MAX = 40_000;

export function memoryTools(memory: Memory): Tool[] {
  return [recall(memory), remember(memory), forget(memory)];
}

function recall(memory: Memory): Tool {
  return defineTool({
    name: "recall",
    description: "Look up what was remembered: notes, documents and summaries, by meaning and by words",
    inputSchema: {
      type: "object",
      properties: {
        question: { type: "string", minLength: 1, maxLength: 2000 },
        limit: { type: "integer", minimum: 1, maximum: 20, description: "Default: 8" },
      },
      required: ["question"],
      additionalProperties: false,
    },
    mayRepeat: true,
    run: async ({ question, limit = 8 }, { signal }) => {
      const { chunks } = await memory.search(question, { limit, signal });
      return chunks.length === 0 ? "Nothing was remembered about this" : markRecalled(textOf(chunks));
    },
  });
}

/** The best passages that fit, each with the id by which it can be forgotten. */
function textOf(chunks: readonly FoundChunk[]): string {
  let text = "";
  for (const { id, source, lines, at, text: passage } of chunks) {
    const next = `[${id}] ${source}, lines ${lines.first}-${lines.last}, ${at}\n${passage}\n\n`;
    if (text !== "" && text.length + next.length > RECALLED_CHARS_MAX) break;
    text += next.slice(0, RECALLED_CHARS_MAX);
  }
  return text.trimEnd().toWellFormed();
}

function remember(memory: Memory): Tool {
  return defineTool({
    name: "remember",
    description:
      "Keep a fact for later conversations, such as a wish, a decision or a date. One fact a note, in full sentences",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, maxLength: 20_000 },
        importance: { type: "number", minimum: 0, maximum: 1, description: "Default: 0.5" },
      },
      required: ["text"],
      additionalProperties: false,
    },
    // The same call has the same note.
    mayRepeat: true,
    run: async ({ text, importance = 0.5 }, call) => {
      const provenance = { tool: "remember", ...(call.key === undefined ? {} : { key: call.key }) };
      const chunks = await memory.add(text, { source: noteOf(text, call), importance, provenance });
      if (chunks.length === 0) throw invalid("This is only what memory already has", "text");
      return { remembered: chunks.map(({ id }) => id) };
    },
  });
}

/** With the text, because not every provider has call ids that are unique. */
function noteOf(text: string, { key = "", id }: ToolCall): string {
  return `note:${uuidFromHash(JSON.stringify([key, id, text]))}`;
}

function forget(memory: Memory): Tool {
  return defineTool({
    name: "forget",
    description: "Erase one passage from memory for good, by the id that recall returned. Ask the user first",
    inputSchema: {
      type: "object",
      properties: { id: { type: "string", minLength: 36, maxLength: 36 } },
      required: ["id"],
      additionalProperties: false,
    },
    mayRepeat: true,
    run: async ({ id }) => {
      // The name of a source would erase a whole file.
      if (!isUuid(id)) throw invalid("id must be the id of a passage, as recall returned it", "id");
      try {
        const { chunks } = await memory.forget(id);
        return { forgotten: [...chunks] };
      } catch (error) {
        if (!(error instanceof ColloquyError) || error.code !== "NOT_FOUND") throw error;
        return "There is no such passage in memory (any more)";
      }
    },
  });
}
