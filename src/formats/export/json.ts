/** A complete conversation as one JSON document. Importing it restores the same conversation. */

import type { StoredEntry } from "../../message/types.ts";
import type { ExportEntry, Snapshot } from "../../store/read/snapshot.ts";
import { MAIN_NAME } from "../../tree/tree.ts";
import { defined } from "../../util/json.ts";
import type { Cleaner } from "./cleaning.ts";
import type { Wanted } from "./options.ts";

const FORMAT_VERSION = 1;

export async function* json(
  snapshot: Snapshot,
  wanted: Wanted,
  cleaner: Cleaner,
): AsyncGenerator<string, void, undefined> {
  const only = wanted.all ? undefined : snapshot.branch(wanted.branch);
  const branches = snapshot.branches.filter(({ name }) => only === undefined || name === only.name);
  const head = {
    colloquy: FORMAT_VERSION,
    info: cleaner.value(snapshot.info),
    branches: branches.map((branch) => cleaner.branch(branch)),
    active: cleaner.text(only?.name ?? snapshot.branches.find(({ active }) => active)?.name ?? MAIN_NAME),
    labels: snapshot.tree.labels.map(([entry, label]) => ({ entry, label: cleaner.text(label) })),
  };
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "entries": [`;
  const referenced = new Set<string>();
  let separator = "\n    ";
  for await (const entry of only === undefined ? snapshot.log() : snapshot.path(only)) {
    const clean = cleaner.entry(entry);
    for (const hash of clean.references) referenced.add(hash);
    yield separator + JSON.stringify(members(clean));
    separator = ",\n    ";
  }
  yield '\n  ],\n  "blobs": {';
  yield* blobs(snapshot, referenced);
  yield "\n  }\n}\n";
}

/** The properties in a fixed order, without empty ones. */
function members(entry: ExportEntry): Omit<StoredEntry, "blobs"> & { readonly branch?: number } {
  const { id, seq, parentId, branch, kind, at, message, data, operationId, flags } = entry;
  return {
    ...{ id, seq, parentId, ...(branch === 0 ? {} : { branch }), kind, at },
    ...defined({ message, data, operationId, flags }),
  };
}

/** The blobs that messages refer to by hash, in Base64, in pieces. */
async function* blobs(snapshot: Snapshot, hashes: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let separator = "\n    ";
  for (const hash of hashes) {
    const bytes = await snapshot.store.blob(hash);
    if (bytes === undefined) continue;
    yield `${separator}"${hash}": "`;
    yield* base64(bytes);
    yield '"';
    separator = ",\n    ";
  }
}

/** Whole groups of three bytes, so that the pieces make one text. */
export async function* base64(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let rest = Buffer.alloc(0);
  for await (const piece of bytes) {
    const joined = Buffer.concat([rest, piece]);
    const whole = joined.length - (joined.length % 3);
    yield joined.toString("base64", 0, whole);
    rest = joined.subarray(whole);
  }
  yield rest.toString("base64");
}
