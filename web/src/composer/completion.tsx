import type { JSX } from "preact";
import type { Command } from "./commands.ts";

export interface CompletionProps {
  readonly commands: readonly Command[];
  readonly chosen: number;
  onChoose(name: string): void;
}

/** The focus stays in the field; arrows choose, Tab and Enter complete. */
export function Completion({ commands, chosen, onChoose }: CompletionProps): JSX.Element {
  return (
    <ul class="completion" aria-label="Commands">
      {commands.map(({ name, argument, help }, index) => (
        <li key={name}>
          <button
            type="button"
            class="menu-item"
            tabIndex={-1}
            data-chosen={index === chosen}
            onClick={() => onChoose(name)}
          >
            <code>
              /{name} {argument}
            </code>
            <span class="hint">{help}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
