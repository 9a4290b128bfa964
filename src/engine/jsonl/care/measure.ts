import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import type { Counts, EngineStats } from "../../queries.ts";
import { longest } from "../../rules.ts";
import { infoOf } from "../folder/catalogue-entry.ts";
import { isSetAside, TRASH_FOLDER } from "../folder/names.ts";
import type { JsonlContext } from "../jsonl-context.ts";

/** From what is known of the files, none of which is read. */
export function countStore({ legacy, folder, catalogue, blobs }: JsonlContext): Counts {
  const io = legacy.real;
  const live = catalogue.all().filter(({ trashed }) => !trashed);
  const blobBytes = [...blobs.all(), ...blobs.uploads().map(({ bytes }) => ({ fileBytes: bytes }))];
  return {
    conversations: live.length,
    messages: sum(live.map((one) => infoOf(one).messageCount)),
    bytes:
      sizeOf(io, folder) +
      sizeOf(io, join(folder, TRASH_FOLDER)) +
      sum(blobBytes.map(({ fileBytes }) => fileBytes)),
  };
}

export function measureStore(context: JsonlContext): EngineStats {
  const { legacy, folder, catalogue, blobs, references } = context;
  const io = legacy.real;
  const known = catalogue.all();
  const stored = new Map([...blobs.all()].map(({ hash, fileBytes }) => [hash, fileBytes]));
  const uploads = blobs.uploads().reduce((sum, { bytes }) => sum + bytes, 0);
  const sizes: Record<string, number> = {};
  const used = new Set<string>();
  for (const one of known) {
    let bytes = one.log.bytes;
    for (const hash of references.of(one)) {
      bytes += stored.get(hash) ?? 0;
      used.add(hash);
    }
    sizes[one.metadata.id] = bytes;
  }
  const unused = [...stored].filter(([hash]) => !used.has(hash));
  const trash = sizeOf(io, join(folder, TRASH_FOLDER));
  const live = known.filter(({ trashed }) => !trashed).map(infoOf);
  return {
    ...countStore(context),
    entries: known.reduce((total, { log }) => total + log.entries, 0),
    reclaimable: trash + sum(unused.map(([, bytes]) => bytes)) + uploads + sizeOf(io, folder, isSetAside),
    top: longest(live),
    sizes,
  };
}

function sizeOf(io: FileIo, place: string, wanted: (name: string) => boolean = () => true): number {
  if (io.stat(place) === undefined) return 0;
  const stats = io
    .list(place)
    .filter(wanted)
    .map((name) => io.stat(join(place, name)));
  return sum(stats.map((stat) => (stat === undefined || stat.isFolder ? 0 : stat.size)));
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
