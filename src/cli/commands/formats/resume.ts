/** `resume`: back to the tool that a conversation was imported from. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ColloquyError } from "../../../errors.ts";
import type { RestoredFile } from "../../../formats/resume/restore.ts";
import { type Resumable, resumeConversation } from "../../../formats/resume/resume.ts";
import { conversationWith } from "../../../formats/resume/session-files.ts";
import type { Store } from "../../../store/store.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { checkReference } from "../../input/reference.ts";
import { toolFolders } from "../../input/tool-folders.ts";
import { conversationOf, existing, openToRead } from "../../store/open-store.ts";
import { stateFolder } from "../../store/store-target.ts";
import { wrap } from "../../terminal/wrap.ts";

export async function run(call: Call): Promise<Result> {
  const { resumable, id } = await prepare(call);
  const { cwd, notes } = resumable;
  const isGone = cwd !== null && !existsSync(cwd);
  const told = isGone
    ? [...notes, `The folder ${cwd} does not exist: run it in a folder of the project`]
    : notes;
  if (call.flags.has("run")) return start(call, { ...resumable, notes: told, cwd: isGone ? null : cwd });
  return {
    json: { id, ...resumable, notes: told },
    lines: linesOf(call, { ...resumable, cwd: isGone ? null : cwd }, told),
  };
}

/** The store is closed before a tool starts: it may run for hours. */
async function prepare(call: Call): Promise<{ resumable: Resumable; id: string }> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToRead(call);
  const { id, session } = await chosen(call, store, reference);
  const folder = join(stateFolder(call.values), "resume");
  return { resumable: await resumeConversation(store as Store, id, toolFolders(), folder, session), id };
}

/** Of a fork, the user may know only the id that its tool shows. */
async function chosen(
  call: Call,
  store: Store | undefined,
  reference: string,
): Promise<{ readonly id: string; readonly session?: string }> {
  const known = store && (await existing(call, store, reference));
  if (known !== undefined) return known;
  const session = reference.slice(reference.indexOf(":") + 1);
  const id = store && (await conversationWith(store, session));
  return id === undefined ? await conversationOf(call, store, reference) : { id, session };
}

function linesOf(
  { out }: Call,
  { files, before, command, cwd }: Resumable,
  notes: readonly string[],
): string[] {
  const folder = cwd === null ? "" : `cd ${quoted(cwd)} && `;
  return [
    ...files.flatMap((file) =>
      [fileText(file), ...file.notes.map((note) => `  ${note}`)].flatMap((text) => wrap(text, out.columns)),
    ),
    ...notes.flatMap((note) => wrap(safeLine(note), out.columns)),
    "To continue:",
    ...[...before, command].map((words) => `  ${folder}${words.map(quoted).join(" ")}`),
  ];
}

function fileText({ path, state }: RestoredFile): string {
  const place = safeLine(path);
  if (state === "restored") return `Restored ${place}`;
  return state === "same" ? `${place} is there` : `${place} is there and differs: left as it is`;
}

/** For a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${safeLine(word).replaceAll("'", "'\\''")}'`;
}

async function start(call: Call, { tool, before, command, cwd, notes }: Resumable): Promise<Result> {
  for (const note of notes) call.out.note(safeLine(note));
  for (const words of before) {
    const code = await runOne(tool, words, cwd);
    if (code !== 0) return { json: null, exit: code };
  }
  return { json: null, exit: await runOne(tool, command, cwd) };
}

async function runOne(tool: string, command: readonly string[], cwd: string | null): Promise<number> {
  const [program = "", ...words] = command;
  const folder = cwd ?? process.cwd();
  // Some tools trust PWD more than the folder that they run in.
  const env = { ...process.env, PWD: folder };
  const child = spawn(program, words, { stdio: "inherit", cwd: folder, env });
  try {
    const [code] = await once(child, "close");
    return typeof code === "number" ? code : 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new ColloquyError("NOT_FOUND", `${tool} is not installed: there is no program ${program}`);
  }
}
