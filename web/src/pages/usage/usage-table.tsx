import type { JSX } from "preact";
import type { UsageRow } from "../../../../src/gateway/wire/rest.ts";
import { MEASURE_NAMES, MEASURES } from "./measures.ts";

export interface UsageTableProps {
  readonly title: string;
  readonly head: string;
  readonly rows: readonly (UsageRow & { readonly name: string })[];
}

export function UsageTable({ title, head, rows }: UsageTableProps): JSX.Element {
  return (
    <table class="table usage-table">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {MEASURE_NAMES.map((name) => (
            <th key={name} scope="col" class="number">
              {MEASURES[name].label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row" title={row.name}>
              {row.name}
            </th>
            {MEASURE_NAMES.map((name) => {
              const { of, short, exact } = MEASURES[name];
              const value = of(row);
              return (
                <td key={name} class="number" title={value === null ? "No price is known" : exact(value)}>
                  {value === null ? "–" : short(value)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
