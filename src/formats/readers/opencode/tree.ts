/**
 * The JSON files of opencode, found from one of them.
 *
 * Messages are in `message/<session>/`, parts in `part/<message>/` (or, in legacy versions,
 * `part/<session>/<message>/`), below the folder `storage`, or below
 * `storage/session` in the oldest layout. Names are relative to the file that
 * is read.
 */
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn } from "../../../util/values.ts";
import type { Findings } from "../../contract/format.ts";
import type { Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { parsedValue } from "../../sources/json/records.ts";
import { comparePlaces, inOrder, type Place, placeOf } from "./order.ts";
import { fileRecord, Records } from "./records.ts";
import { SessionReader } from "./session.ts";

/** Where the folders of messages and parts are, from the file of a session. */
export async function sessionRoot({ id }: JsonObject, around: Surroundings): Promise<string> {
  const messages = await around.list(`../../message/${String(id)}`);
  return messages.length > 0 ? "../.." : "..";
}

/** Yields after each message how many bytes were read so far. */
export async function* readTree(
  session: JsonObject,
  record: SourceRecord | undefined,
  root: string,
  sink: Sink,
  around: Surroundings,
): AsyncGenerator<number> {
  const id = filledIn(session.id) ?? "";
  const records = new Records();
  const files = new Files(sink, around, records);
  if (record !== undefined) records.set(session, [record]);
  const reader = new SessionReader(sink, session, records, true);
  for (const file of await files.inOrder(`${root}/message/${id}`)) {
    const value = await files.object(file);
    if (value === undefined) continue;
    const own = filledIn(value.id) ?? "";
    const beside = await files.objects(`${root}/part/${own}`);
    const parts = beside.length > 0 ? beside : await files.objects(`${root}/part/${id}/${own}`);
    // The first versions wrote the parts into the message.
    reader.add({ value, parts: parts.length > 0 ? inOrder(parts) : objectsIn(value.parts) });
    yield files.bytes;
  }
  reader.finish();
}

/** Work that is done once for all files of a folder is done with the first. */
export async function isFirstInFolder(around: Surroundings, findings: Findings): Promise<boolean> {
  const name = around.path.split(/[/\\]/).at(-1);
  const look = async (): Promise<string | undefined> => (await jsonFiles(around, "."))[0];
  return (await findings.in(".", around, "opencode first file", look)) === name;
}

/** From the file of a message. */
export async function hasSessionFile(id: string, around: Surroundings): Promise<boolean> {
  const name = `${id}.json`;
  if ((await around.list("../../info")).includes(name)) return true;
  for (const project of await around.list("../../session")) {
    if ((await around.list(`../../session/${project}`)).includes(name)) return true;
  }
  return false;
}

/** From the file of a part. */
export async function hasMessageFile(
  session: string,
  message: string,
  around: Surroundings,
): Promise<boolean> {
  for (const root of ["../..", "../../.."]) {
    if ((await around.list(`${root}/message/${session}`)).includes(`${message}.json`)) return true;
  }
  return false;
}

async function jsonFiles(around: Surroundings, folder: string): Promise<string[]> {
  return (await around.list(folder)).filter((name) => name.endsWith(".json"));
}

class Files {
  readonly #sink: Sink;
  readonly #around: Surroundings;

  readonly #records: Records;
  /** What was read so far. */
  bytes = 0;

  constructor(sink: Sink, around: Surroundings, records: Records) {
    this.#sink = sink;
    this.#around = around;
    this.#records = records;
  }

  /**
   * The files of a folder, in the order of what is in them. Each is read again when its turn comes: there may be any
   * number of them, and all that they hold would be in memory.
   */
  async inOrder(folder: string): Promise<string[]> {
    const found: (Place & { readonly file: string })[] = [];
    for (const name of await jsonFiles(this.#around, folder)) {
      const file = `${folder}/${name}`;
      const value = await this.object(file);
      if (value !== undefined) found.push({ ...placeOf(value), file });
    }
    return found.sort(comparePlaces).map(({ file }) => file);
  }

  /** What is in the files of a folder. */
  async objects(folder: string): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    for (const name of await jsonFiles(this.#around, folder)) {
      const value = await this.object(`${folder}/${name}`);
      if (value !== undefined) found.push(value);
    }
    return found;
  }

  /** What is in a file. A damaged one is reported, and the others are still read. */
  async object(file: string): Promise<JsonObject | undefined> {
    const text = (await this.#around.read(file))?.toString();
    if (text === undefined) {
      this.#sink.unresolved(file);
      return undefined;
    }
    const value = objectIn(parsedValue(text));
    const record = fileRecord(value ?? {}, file, text);
    this.bytes += record.bytes ?? 0;
    if (value !== undefined) return this.#records.set(value, [record]);
    this.#sink.skip(record, `${file} is not a JSON object`);
    return undefined;
  }
}
