/** `npm run bench -- GROUP [ROW …]`: measures, prints a table, exits with 1 when a target is missed. */
import { agentBench } from "./agent/index.ts";
import { formatsBench } from "./formats/index.ts";
import { gatewayBench } from "./gateway/index.ts";
import { type BenchRow, benchFolder, microseconds, printTable, QUICK, syncCost } from "./harness.ts";
import { lifeBench } from "./life/index.ts";
import { recallBench } from "./recall/index.ts";
import { stateBench } from "./state/index.ts";
import { storeBench } from "./store/index.ts";

const GROUPS: Readonly<Record<string, Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>>>> = {
  store: storeBench,
  life: lifeBench,
  formats: formatsBench,
  state: stateBench,
  recall: recallBench,
  agent: agentBench,
  gateway: gatewayBench,
};

const [name = "", ...wanted] = process.argv.slice(2).filter((word) => word !== "--quick");
const group = GROUPS[name];
if (group === undefined) {
  console.error(`Usage: npm run bench -- GROUP [ROW …] [--quick]
  Groups: ${Object.keys(GROUPS).join(", ")}
  --quick runs every row once, at toy size, and judges nothing.`);
  process.exit(2);
}
const unknown = wanted.find((row) => group[row] === undefined);
if (unknown !== undefined) {
  console.error(`There is no row "${unknown}" in ${name}. Rows: ${Object.keys(group).join(", ")}`);
  process.exit(2);
}

const folder = benchFolder();
console.log(`Node ${process.version}, one write and sync of 1 KB: ${microseconds(await syncCost(folder))}`);
const rows: BenchRow[] = [];
for (const [row, measure] of Object.entries(group)) {
  if (wanted.length === 0 || wanted.includes(row)) rows.push(...(await measure(folder)));
}
if (QUICK) console.log(`${rows.length} rows ran at toy size; the figures mean nothing.`);
else {
  printTable(rows);
  process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
}
