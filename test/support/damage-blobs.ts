/** Damages blobs of a store that is closed, for tests. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Changes a byte of every blob that is wanted. */
export function damageBlobs(
  engine: string,
  place: string,
  isWanted: (hash: string) => boolean = () => true,
): void {
  if (engine === "jsonl") damageFiles(join(place, "blobs"), isWanted);
  else damageRows(place, isWanted);
}

function damageFiles(folder: string, isWanted: (hash: string) => boolean): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  for (const { parentPath, name } of files) {
    if (!isWanted(/[0-9a-f]{64}/.exec(name)?.[0] ?? "")) continue;
    const path = join(parentPath, name);
    writeFileSync(path, flipped(readFileSync(path)));
  }
}

function damageRows(path: string, isWanted: (hash: string) => boolean): void {
  const database = new DatabaseSync(path);
  const sql = "SELECT c.rowid AS n, c.data, b.hash FROM blob_chunks c JOIN blobs b ON b.n = c.blob";
  for (const { n, data, hash } of database.prepare(sql).all()) {
    if (!isWanted(String(hash))) continue;
    const update = database.prepare("UPDATE blob_chunks SET data = ? WHERE rowid = ?");
    update.run(flipped(Buffer.from(data as Uint8Array)), n as number);
  }
  database.close();
}

function flipped(bytes: Buffer): Buffer {
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] as number) ^ 0xff;
  return bytes;
}
