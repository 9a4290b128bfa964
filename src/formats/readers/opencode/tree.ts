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
import type { Sink, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { parsedValue } from "../../sources/json/records.ts";
import { inOrder } from "./order.ts";
import { fileRecord, Records } from "./records.ts";
import { SessionReader } from "./session.ts";

/** Where the folders of messages and parts are, from the file of a session. */
export async function sessionRoot({ id }: JsonObject, around: Surroundings): Promise<string> {
  const messages = await around.list(`../../message/${String(id)}`);
  return messages.length > 0 ? "../.." : "..";
}

export async function readTree(
  session: JsonObject,
  record: SourceRecord | undefined,
  root: string,
  sink: Sink,
  around: Surroundings,
): Promise<void> {
  const id = filledIn(session.id) ?? "";
  const records = new Records();
  const files = new Files(sink, around, records);
  if (record !== undefined) records.set(session, [record]);
  const reader = new SessionReader(sink, session, records, true);
  for (const value of inOrder(await files.objects(`${root}/message/${id}`))) {
    const own = filledIn(value.id) ?? "";
    const beside = await files.objects(`${root}/part/${own}`);
    const parts = beside.length > 0 ? beside : await files.objects(`${root}/part/${id}/${own}`);
    // The first versions wrote the parts into the message.
    reader.add({ value, parts: parts.length > 0 ? inOrder(parts) : objectsIn(value.parts) });
  }
  reader.finish();
}

/** Work that is done once for all files of a folder is done with the first. */
export async function isFirstInFolder(around: Surroundings): Promise<boolean> {
  const name = around.path.split(/[/\\]/).at(-1);
  return (await jsonFiles(around, "."))[0] === name;
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

  constructor(sink: Sink, around: Surroundings, records: Records) {
    this.#sink = sink;
    this.#around = around;
    this.#records = records;
  }

  /** The content of the files of a folder. A damaged one is reported, and the others are still read. */
  async objects(folder: string): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    for (const name of await jsonFiles(this.#around, folder)) {
      const file = `${folder}/${name}`;
      const text = (await this.#around.read(file))?.toString();
      if (text === undefined) {
        this.#sink.unresolved(file);
        continue;
      }
      const value = objectIn(parsedValue(text));
      const record = fileRecord(value ?? {}, file, text);
      if (value === undefined) this.#sink.skip(record, `${file} is not a JSON object`);
      else found.push(this.#records.set(value, [record]));
    }
    return found;
  }
}
