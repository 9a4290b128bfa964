import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ColloquyError, invalid } from "../../../errors.ts";
import type { Chunk, Memory } from "../../../memory/index.ts";
import type { Call, Result } from "../../command.ts";
import { readStdin } from "../../input/stdin.ts";
import { counted } from "../../terminal/count-text.ts";
import { openedMemory } from "./open.ts";

const STDIN_BYTES_MAX = 16 * 1024 * 1024;

export async function run(call: Call): Promise<Result> {
  const [given = ""] = call.args;
  const file = fileOf(given);
  const text = given === "-" ? await readStdin("TEXT", STDIN_BYTES_MAX) : given;
  await using opened = await openedMemory(call);
  const { memory, hasProvider } = opened;
  const chunks = file === undefined ? await addNote(call, memory, text) : await addFile(memory, file);
  const notes: string[] = [];
  if (hasProvider)
    await memory.embed().catch((error: Error) => notes.push(`Not embedded yet: ${error.message}`));
  const [first] = chunks;
  const line =
    first === undefined
      ? "Nothing to remember: the text is empty, or was recalled from memory"
      : `Remembered ${counted(chunks.length, "chunk")} as ${first.source}`;
  return { json: { chunks }, lines: [line], notes };
}

/** A path of an existing file; anything else is a text. */
function fileOf(given: string): string | undefined {
  const isPath = given.length < 4096 && !/[\n\0]/.test(given);
  return isPath && statSync(given, { throwIfNoEntry: false })?.isFile() ? resolve(given) : undefined;
}

async function addNote(call: Call, memory: Memory, text: string): Promise<readonly Chunk[]> {
  const source = call.values.get("source");
  const importance = call.values.get("importance");
  if (importance !== undefined && !/^(?:0|1|[01]?\.\d+)$/.test(importance)) {
    throw invalid(`--importance must be from 0 to 1, not "${importance}"`, "importance");
  }
  return memory.add(text, {
    ...(source === undefined ? {} : { source }),
    ...(importance === undefined ? {} : { importance: Number(importance) }),
  });
}

async function addFile(memory: Memory, path: string): Promise<readonly Chunk[]> {
  const { skipped } = await memory.index([path]);
  const [problem] = skipped;
  if (problem !== undefined) {
    throw new ColloquyError("VALIDATION_ERROR", `${path} cannot be remembered: ${problem.reason}`, {
      field: "FILE",
    });
  }
  return memory.list({ source: path, limit: 1000 }).items;
}
