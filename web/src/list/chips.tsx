import type { JSX } from "preact";
import type { ConversationSummary, FacetsView } from "../../../src/gateway/wire/rest.ts";
import { api } from "../api/api.ts";
import { useCell } from "../state/cell.ts";
import { useLoad } from "../state/use-load.ts";
import { classes } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { clearFilters, type Days, type Filters, filters, isFiltered, setFilter } from "./filters.ts";

const DATES: readonly (readonly [Days, string])[] = [
  [1, "Today"],
  [7, "Last 7 days"],
  [30, "Last 30 days"],
  [365, "Last year"],
];
const BRANCHES = [
  ["active", "Active branch only"],
  ["forked", "With branches"],
] as const;

/** `loaded`: new channels and models appear with their first conversation. */
export function Chips({ loaded }: { readonly loaded: readonly ConversationSummary[] }): JSX.Element {
  const set = useCell(filters);
  const known = useLoad("facets", (signal) => api<FacetsView>("GET", "facets", { signal })).value;
  const channels = distinct([
    set.channel,
    ...(known?.channels ?? []),
    ...loaded.map(({ channel }) => channel),
  ]);
  const models = distinct([set.model, ...(known?.models ?? []), ...loaded.map(({ model }) => model)]);
  return (
    <fieldset class="chips">
      <legend class="unseen">Filters</legend>
      <Chip name="Channel" of="channel" choices={channels.map((channel) => [channel, channel] as const)} />
      <Chip name="Model" of="model" choices={models.map((model) => [model, shortModel(model)] as const)} />
      <Chip name="Date" of="days" choices={DATES} />
      <Chip name="Branch" of="branch" choices={BRANCHES} />
      {isFiltered(set) && (
        <button type="button" class="chip" aria-label="Remove all filters" onClick={clearFilters}>
          <Icon name="close" />
        </button>
      )}
    </fieldset>
  );
}

interface ChipProps<Name extends keyof Filters> {
  readonly name: string;
  readonly of: Name;
  readonly choices: readonly (readonly [NonNullable<Filters[Name]>, string])[];
}

function Chip<Name extends keyof Filters>({ name, of, choices }: ChipProps<Name>): JSX.Element {
  const value = useCell(filters)[of];
  const label = choices.find(([choice]) => choice === value)?.[1];
  return (
    <Menu
      name={label ? `${name}: ${label}` : name}
      class={classes("chip", value !== null && "set")}
      items={[
        { label: `Any ${name.toLowerCase()}`, chosen: value === null, run: () => setFilter({ [of]: null }) },
        ...choices.map(([choice, text]) => ({
          label: text,
          chosen: choice === value,
          run: () => setFilter({ [of]: choice }),
        })),
      ]}
    >
      <span class="cut">{label ?? name}</span>
    </Menu>
  );
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))].sort();
}

/** Without the provider. The model that needs none answers from what is stored. */
export function shortModel(model: string): string {
  if (isOffline(model)) return "Offline search";
  return model.slice(model.lastIndexOf("/") + 1);
}

export function isOffline(model: string): boolean {
  return model === "offline/recall";
}
