/** Long texts of the seeded conversations. */

export const ANSWER: string = `The slow part is **one query**: since the change on Tuesday it sorts all hits of a tenant.

| Step | Before | After | Rows |
| :--- | ---: | ---: | ---: |
| Index scan | 12 ms | 1,840 ms | 1,204,311 |
| Sort | 3 ms | 96 ms | 1,204,311 |
| Limit | 0 ms | 0 ms | 20 |

The cause is in \`rank()\`: it now orders by a value that no index has.

\`\`\`ts
export function rank(hits: readonly Hit[], now: number): Hit[] {
  // Newer hits first, then by score.
  return hits
    .filter((hit) => hit.score > 0.25)
    .toSorted((a, b) => b.at - a.at || b.score - a.score)
    .slice(0, 20);
}
\`\`\`

What I would do:

1. Add an index on \`(tenant_id, at DESC)\`.
2. Keep the filter in SQL, so that the planner sees it.
3. Measure again with [pgbench](https://www.postgresql.org/docs/current/pgbench.html).

> The index costs about 90 MB. Creating it \`CONCURRENTLY\` does not block writes.
`;

const LINES = 12_400;

export const LOG: string = Array.from(
  { length: LINES },
  (_, line) =>
    `2026-11-10T09:${String(line % 60).padStart(2, "0")}:00Z search ${1900 - (line % 700)} ms tenant=${line % 37}`,
).join("\n");

/** A small bar chart. */
export const DIAGRAM: string = [
  "iVBORw0KGgoAAAANSUhEUgAAAeAAAAEsCAIAAACUnPcNAAAGbklEQVR42u3WsQmFMBSG0TuUi7hN6uzhEGa8IMTKNo2QYDzw9e9H",
  "nucatV5TSinP+mlJ+kQBaEkCNKAlCdCSBGhASxKgJQnQgJYkQEuSAC1JgAa0JAFakgANaEkCtCQJ0JIEaEBLEqAlCdCAliRASxKg",
  "AS1JgAa0JAFakgANaEkCtCQBGtCSBGhJEqAlCdCAliRASxKgAS1JgJYkQANakgANaEkCtCQBGtCSBGhJAjSgJQnQkiRASxKgAS1J",
  "gJYkQANakgDda9vLsPxFJAEa0JIEaEBLAjSgJQnQgJYEaEBLEqABLQnQgAa0JEADWpIADWhJgAa0JAEa0JIADWhASwI0oCUJ0ICW",
  "BGhASxKgAS0J0ICWJEADWpIADWhJgAa0JAEa0JIADWhJAjSgJQEa0ICWBGhASxKgAS0J0ICWJEADWhKgAS1JgF4VaEdFEqABDWgJ",
  "0IAGtCRAAxrQEqABDWhJgAY0oCUBGtCSAA1oQEsCNKABLQEa0ICWBGhAA1oSoAEtCdCABrQkQAMa0BKgAQ1oSYAGNKAlQAMa0JIA",
  "DWhASwI0oCUBGtCAlgRoQNssARrQgAa0BGjY2extlAANO0BLgAa0zYCWAA07myVAA9pmQEuAhp3NEqABDTtAS4AGtM2AlgANO0BL",
  "gAa0zYCWAA07myVAAxp2gJYADTubAS0BGnaAlgANaJsBLQEadjZLgAY0oAEtARp2NksCNOwALQEa0DYDWgI07AAtARrQNgNaAjTs",
  "bJYADWjYAVoCNKBtBrQEaNgBWgI0oG0GtARo2NksARrQgLbZURGgwWEzoCVAg8NmQAvQgLbZZgnQ4LAZ0AI0oG22GdACNDhsBrQA",
  "DWhw2AxoARrQNtssARocNgNagAa0zTZLgAaHzYAWoAENO5sBLUCDw2ZAS4AGh82AFqABbbPNEqDBYTOgBWhA22wzoAVocNgMaAEa",
  "0OCwGdACNKBttlkCNDhsBrQADWibbZYADQ6bAS1AAxocNgNagAaHzYCWAA0OmwEtQAPaZpslQIPDZkAL0ICGnc2AFqDBYTOgJUCD",
  "w2ZAC9CAttlmCdDgsBnQAjSgbbZZAjQ4bAa0AA1ocNgMaAEaHDbbLAEaHDYDWoAGtM02S4AGh82AFqABDTubAS1Ag8NmQEuABofN",
  "gBagAW2zzRKgwWEzoAVoQNtsMz4EaHDYDGgBGtDgsBnQAjSgbbZZAjQ4bAa0AA1om22WAA0OmwEtQAMadjYDWoAGh82AlgANDpsB",
  "LUAD2mabJUCDw2ZAC9CAttlmQAvQ4LAZ0AI0oMFhM6AFaEDbbLMEaHDYDGgBGtA22ywBGhw2A1qABjQ4bAa0AA0OmwEtARocNgNa",
  "gAa0zTZLgAaHzYAWoAENO5sBLUCDw2ZAS4AGh82AFqABbbPNEqDBYTOgBWhA22yzBGhw2AxoARrQ4LAZ0AI0OGy2WQI0OGwGtAAN",
  "aJttlgANDpsBLUADGnY2A1qABofNgJYADQ6bAS1AA9pmmyVAg8NmQAvQgLbZZoII0OCwGdACNKDBYTOgBWhA22zz03G2YSEP0IC2",
  "2WZAC9DgsBnQgAY0oGFnM6AFaHDYDGhAC9DgsBnQAjSgbbYZ0AI0OGwGNKABDWibbQa0AA0OmwENaEADGhw2A1qABrTNNgNagAaH",
  "zYAGNKABbbPNgBagwWEzoAENaEDDzmZAOyqABofNgAY0oAENDpsBDWhAA9pmmwENaECDw2ZAAxrQgLbZZkADGtDgsBnQgAY0oMFh",
  "M6ABDWhA22wzoAENaHDYDGhAAxrQNtsMaEADGhw2AxrQgAY07GwGNKABDQ6bAQ1oQAMaHDYDGtCABrTNNgMa0IAGh82ABjSgAW2z",
  "zYAGNKDBYTOgAQ1oQIPDZkADGtCAttlmQAMa0OCwGdCABjSgbbYZ0IAGNDhsBjSgAQ1ocNgMaEADGhw2AxrQgAY0OGwGNKABDWib",
  "bQY0oAENDpsBDWhAAxp2NgMa0IAGh82ABjSgAQ0OmwENaEAD2mabAQ1oQIPDZkADGtBvgZYkdYo/XydJ8gUtSQK0JAFakgRoSQK0",
  "JAnQkiRASxKgJUmAliRAS5IALUkCtCQBWpIEaEkCtCQJ0JIEaEkSoCVJgJYkQEuSAC1JgJYkAVqSBGhJArQkCdCSBGhJEqAlCdCe",
  "giQBWpIEaEkCtCQJ0JIEaEkSoCVJgJYkQEuSAC1J63YDn523ulAYbOEAAAAASUVORK5CYII=",
].join("");
