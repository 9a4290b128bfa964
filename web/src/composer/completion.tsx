import type { JSX } from "preact";
import type { Command } from "./commands.ts";

export interface CompletionProps {
  readonly commands: readonly Command[];
  readonly chosen: number;
  onChoose(command: Command): void;
}

/** The focus stays in the field; arrows choose, Tab and Enter complete. */
export function Completion({ commands, chosen, onChoose }: CompletionProps): JSX.Element {
  return (
    <ul class="completion" aria-label="Commands">
      {commands.map((command, index) => (
        <li key={command.name}>
          <button
            type="button"
            class="menu-item"
            tabIndex={-1}
            data-chosen={index === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(command)}
          >
            <code>
              /{command.name} {command.argument}
            </code>
            <span class="hint">{command.help}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
