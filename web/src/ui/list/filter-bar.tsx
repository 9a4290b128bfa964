import type { JSX } from "preact";

export interface FilterBarProps {
  /** Of the field: `Search the settings`. */
  readonly search: string;
  readonly text: string;
  /** Of the choice beside it. */
  readonly choice: string;
  readonly chosen: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  onText(text: string): void;
  onChoose(value: string): void;
}

/** Above a list: words to search for, and one choice. */
export function FilterBar(props: FilterBarProps): JSX.Element {
  return (
    <div class="filters">
      <input
        type="search"
        class="field"
        aria-label={props.search}
        placeholder={props.search}
        value={props.text}
        onInput={(event) => props.onText(event.currentTarget.value)}
      />
      <select
        class="field"
        aria-label={props.choice}
        value={props.chosen}
        onChange={(event) => props.onChoose(event.currentTarget.value)}
      >
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}
