import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ModelView } from "../../../src/gateway/wire/rest.ts";
import { isOffline, shortModel } from "../list/chips.tsx";
import { useLoad } from "../state/use-load.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { shortCount } from "../ui/values/count.tsx";
import { plural } from "../ui/values/plural.ts";
import { readModels } from "./models.ts";

export interface ModelPickerProps {
  readonly model: string;
  onModel(model: string): void;
}

export function ModelPicker({ model, onModel }: ModelPickerProps): JSX.Element {
  const [isWanted, setWanted] = useState(false);
  const load = useLoad(isWanted ? "models" : null, readModels);
  const models = load.value ?? [];
  const usable = models.filter(({ available }) => available);
  return (
    <Menu
      name={`Model: ${model}`}
      class="button plain small model-button"
      heading={load.error === undefined ? "Answer with" : "The models could not be read"}
      onOpen={() => setWanted(true)}
      note={keysNote(models)}
      items={usable.map(({ name, contextWindow }) => ({
        label: isOffline(name) ? "Offline search of your history" : name,
        ...(contextWindow !== null && { hint: shortCount(contextWindow) }),
        chosen: name === model,
        run: () => onModel(name),
      }))}
    >
      <span class="cut">{shortModel(model)}</span>
      <Icon name="down" />
    </Menu>
  );
}

/** Models that lack a key cannot be chosen, so they are not in the way: only their providers are named. */
function keysNote(models: readonly ModelView[]): string | undefined {
  const others = models.filter(({ available }) => !available);
  if (others.length === 0) return undefined;
  const providers = [...new Set(others.map(({ name }) => name.split("/", 1)[0]))].join(", ");
  return `${plural(others.length, "more model")} with a key: run colloquy auth add and one of ${providers}.`;
}
