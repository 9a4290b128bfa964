import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FoundTool } from "../../../../src/gateway/wire/rest.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/list/states.tsx";
import { Count, shortBytes } from "../../ui/values/count.tsx";
import { plural } from "../../ui/values/plural.ts";

export interface FoundToolsProps {
  readonly tools: readonly FoundTool[];
  readonly busy: boolean;
  onImport(formats: readonly string[]): void;
}

export function FoundTools({ tools, busy, onImport }: FoundToolsProps): JSX.Element {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  if (tools.length === 0)
    return (
      <Empty title="No other tool was found">
        <p>None has conversations in its usual place.</p>
      </Empty>
    );
  const chosen = tools.filter(({ format }) => !left.has(format));
  const files = chosen.reduce((sum, tool) => sum + tool.files, 0);
  const toggle = (format: string): void => {
    const next = new Set(left);
    if (!next.delete(format)) next.add(format);
    setLeft(next);
  };
  return (
    <section aria-label="Found on this machine">
      <table class="table found-tools">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Place</th>
            <th scope="col" class="number">
              Files
            </th>
            <th scope="col" class="number">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {tools.map(({ format, name, path, files: count, bytes }) => (
            <tr key={path}>
              <td>
                <label class="choice">
                  <input type="checkbox" checked={!left.has(format)} onChange={() => toggle(format)} />
                  <span>
                    {name}
                    <span class="sub">{path}</span>
                  </span>
                </label>
              </td>
              <td class="path" title={path}>
                {path}
              </td>
              <td class="number">
                <Count value={count} />
              </td>
              <td class="number">{shortBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="found-note quiet small">
        Not every file in these places is a conversation: tools keep notes and indexes there, too. The report
        counts those that are.
      </p>
      <Button
        look="primary"
        icon="import"
        disabled={busy || chosen.length === 0}
        onClick={() => onImport([...new Set(chosen.map(({ format }) => format))])}
      >
        {chosen.length === 0 ? "Import" : `Import ${plural(files, "file")}`}
      </Button>
    </section>
  );
}
