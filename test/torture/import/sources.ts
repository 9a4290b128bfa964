/** Files of many tools, to import. The same in every run. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { random } from "../content.ts";

const FIXTURES = "test/fixtures";
/** A time long ago, so that the end of every file counts as complete. */
const WRITTEN_S = 1_700_000_000;

export interface Amount {
  /** The folders of fixtures. */
  readonly formats: readonly string[];
  /** The size of a session. One that is larger than 4 MB is written while it is read. */
  readonly longBytes: number;
}

export const ALL_FORMATS: readonly string[] = readdirSync(FIXTURES);

/** Fixtures, a long session, and a fork of it. */
export function writeSources(folder: string, { formats, longBytes }: Amount): void {
  mkdirSync(join(folder, "long"), { recursive: true });
  for (const format of formats) cpSync(join(FIXTURES, format), join(folder, format), { recursive: true });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (entry.isFile() && entry.name.endsWith(".sql")) buildDatabase(join(entry.parentPath, entry.name));
  }
  writeLongSession(join(folder, "long"), longBytes);
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of all) {
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), WRITTEN_S, WRITTEN_S);
  }
}

/** Databases are kept as the SQL that creates them. */
function buildDatabase(path: string): void {
  const database = new DatabaseSync(path.replace(/sql$/, "db"));
  database.exec(`PRAGMA foreign_keys = off; ${readFileSync(path, "utf8")}`);
  database.close();
  rmSync(path);
}

const SESSION = "5e551000-0000-4000-8000-00000000000";

/**
 * A session of Claude Code with branches, a title that changes, pictures, a long text and damaged lines; and a fork
 * of it in another file.
 */
function writeLongSession(folder: string, bytesWanted: number): void {
  const next = random(7);
  const path = join(folder, `${SESSION}1.jsonl`);
  const lines: string[] = [];
  let bytes = 0;
  const ids: string[] = [];
  const add = (record: object, sessionId = `${SESSION}1`): void => {
    const line = JSON.stringify({ sessionId, cwd: "/home/ada", version: "2.1.0", ...record });
    lines.push(line);
    bytes += line.length;
  };
  const say = (number: number, parentUuid: string | null, text: string): string => {
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    const timestamp = new Date(1_690_000_000_000 + number * 1000).toISOString();
    const isUser = number % 2 === 0;
    const message = isUser
      ? { role: "user", content: text }
      : {
          ...{ id: `msg_${number}`, role: "assistant", model: "claude-sonnet-4-5", type: "message" },
          ...{ content: [{ type: "text", text }], usage: { input_tokens: 1, output_tokens: 2 } },
        };
    add({ type: isUser ? "user" : "assistant", uuid, parentUuid, timestamp, message });
    ids.push(uuid);
    return uuid;
  };
  let parent: string | null = null;
  for (let number = 0; bytes < bytesWanted; number++) {
    // Now and then the user edits an earlier prompt.
    const isEdit = number % 2 === 0 && number > 10 && next() < 0.03;
    if (isEdit) parent = ids[2 * Math.floor((next() * number) / 2) - 1] ?? parent;
    parent = say(number, parent, textOf(next, number));
    if (number % 100 === 51) add({ type: "custom-title", customTitle: `About ${number}` });
    if (number % 300 === 77) lines.push("{ torn", "");
  }
  writeFileSync(path, `${lines.join("\n")}\n`);
  const fork = lines.slice(0, 40).map((line) => line.replaceAll(`${SESSION}1`, `${SESSION}2`));
  writeFileSync(join(folder, `${SESSION}2.jsonl`), `${fork.join("\n")}\n`);
  lines.length = 0;
  const last = ids[37] ?? null;
  add(forkLine(last), `${SESSION}2`);
  appendFileSync(join(folder, `${SESSION}2.jsonl`), `${lines.join("\n")}\n`);
}

function forkLine(parentUuid: string | null): object {
  const uuid = "00000000-0000-4000-8000-f00000000000";
  const timestamp = "2023-07-22T05:00:00.000Z";
  return { type: "user", uuid, parentUuid, timestamp, message: { role: "user", content: "Another way" } };
}

/** Mostly short; some are stored apart, and few are so long that they are cut before they are parsed. */
function textOf(next: () => number, number: number): string {
  const kind = next();
  const length = number % 700 === 301 ? 1_200_000 : kind < 0.02 ? 90_000 : kind < 0.2 ? 6000 : 300;
  let text = `${number}: `;
  while (text.length < length) text += `${Math.floor(next() * 2 ** 32).toString(36)} `;
  return text;
}
