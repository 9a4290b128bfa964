import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isOffline, shortModel } from "../list/chips.tsx";
import { useLoad } from "../state/use-load.ts";
import { shortCount } from "../ui/count.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { readModels } from "./models.ts";

export interface ModelPickerProps {
  readonly model: string;
  onModel(model: string): void;
}

export function ModelPicker({ model, onModel }: ModelPickerProps): JSX.Element {
  const [isWanted, setWanted] = useState(false);
  const load = useLoad(isWanted ? "models" : null, readModels);
  const models = load.value ?? [];
  return (
    <Menu
      name={`Model: ${model}`}
      class="button plain small model-button"
      heading={load.error === undefined ? "Answer with" : "The models could not be read"}
      onOpen={() => setWanted(true)}
      items={models.map(({ name, contextWindow, available }) => ({
        label: isOffline(name) ? "Offline search of your history, without a model" : name,
        ...(contextWindow !== null && { hint: shortCount(contextWindow) }),
        chosen: name === model,
        disabled: !available,
        run: () => onModel(name),
      }))}
    >
      <span class="cut">{shortModel(model)}</span>
      <Icon name="down" />
    </Menu>
  );
}
