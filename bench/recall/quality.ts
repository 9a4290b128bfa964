import { fileURLToPath } from "node:url";
import { recall } from "../../eval/recall/recall.ts";
import { type BenchRow, report } from "../harness.ts";

const SETS = ["set", "held-out"];
const POINTS_MIN = 12;

/** How many more of the messages that answer a question are among the first ten than with plain FTS5. */
export async function quality(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const name of SETS) {
    const folder = fileURLToPath(new URL(`../../eval/recall/${name}`, import.meta.url));
    const { results } = await recall({ folder, modes: ["keyword"], limit: 10 });
    const [plain = 0, ours = 0] = results.map(({ message }) => message.recall10 * 100);
    rows.push(
      report({
        work: `message recall@10, keyword only, ${name}`,
        ours: `${ours.toFixed(1)} %`,
        bare: `${plain.toFixed(1)} %`,
        value: `+${(ours - plain).toFixed(1)}`,
        reach: `≥ +${POINTS_MIN} points`,
        ok: ours - plain >= POINTS_MIN,
      }),
    );
  }
  return rows;
}
