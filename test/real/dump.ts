/**
 * Makes a fixture of tables of a database that a tool wrote: SQL that creates them again. Long texts are cut, because
 * they are the tool's own. Usage: node test/real/dump.ts DATABASE FILE.sql "Tool 1.2.3" TABLE ...
 */
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { isJsonObject, type Json } from "../../src/util/json.ts";
import { parsedIn } from "../../src/util/values.ts";

const TEXT_CHARS_MAX = 300;
const TEXT_CHARS_KEPT = 40;

const [from = "", to = "", tool = "", ...tables] = process.argv.slice(2);
const database = new DatabaseSync(from, { readOnly: true });
const statements = tables.flatMap((table) => {
  const rows = database.prepare(`SELECT * FROM ${table}`).all();
  const columns = database.prepare(`PRAGMA table_info(${table})`).all();
  const names = columns.map(({ name }) => String(name)).join(", ");
  return [`CREATE TABLE ${table} (${names});`, ...rows.map((row) => insert(table, Object.values(row)))];
});
const head = `-- Written by ${tool} (test/real): the tables that hold conversations.`;
writeFileSync(to, `${[head, ...statements].join("\n")}\n`);

function insert(table: string, values: readonly unknown[]): string {
  return `INSERT INTO ${table} VALUES (${values.map(literal).join(", ")});`;
}

function literal(value: unknown): string {
  if (value instanceof Uint8Array) return `X'${lines(value).toString("hex")}'`;
  if (typeof value === "string") return `'${text(value).replaceAll("'", "''")}'`;
  return value === null ? "NULL" : String(value);
}

/** Compressed lines of JSON. */
function lines(bytes: Uint8Array): Buffer {
  const all = zstdDecompressSync(bytes).toString().split("\n");
  return zstdCompressSync(all.map(text).join("\n"));
}

function text(value: string): string {
  const parsed = parsedIn(value);
  return typeof parsed === "object" && parsed !== null ? JSON.stringify(shortened(parsed as Json)) : value;
}

function shortened(value: Json): Json {
  if (typeof value === "string") {
    return value.length > TEXT_CHARS_MAX ? `${value.slice(0, TEXT_CHARS_KEPT)} …` : value;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member ?? null)]));
}
