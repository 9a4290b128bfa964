/** `npm run bench -- SUITE [ROW …]`: measures, prints a table, exits with 1 when a target is missed. */
import { formatsBench } from "./formats/index.ts";
import { type BenchRow, benchFolder, microseconds, printTable, syncCost } from "./harness.ts";
import { lifeBench } from "./life/index.ts";
import { stateBench } from "./state/index.ts";
import { storeBench } from "./store/index.ts";

const SUITES: Readonly<Record<string, Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>>>> = {
  store: storeBench,
  life: lifeBench,
  formats: formatsBench,
  state: stateBench,
};

const [name = "", ...wanted] = process.argv.slice(2);
const suite = SUITES[name];
if (suite === undefined) {
  console.error(`Usage: npm run bench -- SUITE [ROW …]\nSuites: ${Object.keys(SUITES).join(", ")}`);
  process.exit(2);
}
const unknown = wanted.find((row) => suite[row] === undefined);
if (unknown !== undefined) {
  console.error(`There is no row "${unknown}" in ${name}. Rows: ${Object.keys(suite).join(", ")}`);
  process.exit(2);
}

const folder = benchFolder();
console.log(`Node ${process.version}, one write and sync of 1 KB: ${microseconds(await syncCost(folder))}`);
const rows: BenchRow[] = [];
for (const [row, measure] of Object.entries(suite)) {
  if (wanted.length === 0 || wanted.includes(row)) rows.push(...(await measure(folder)));
}
printTable(rows);
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
