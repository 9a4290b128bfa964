/** Beside a conversation: its tree, its context and its details. Each is loaded when it is opened. */
import type { ComponentType, JSX } from "preact";
import type { ConversationDetails } from "../../../src/gateway/wire/rest.ts";
import { useLoad } from "../state/use-load.ts";
import { IconButton } from "../ui/button.tsx";
import { Loaded } from "../ui/list/states.tsx";
import "./inspector.css";

export type InspectorTab = "tree" | "context" | "details";

export interface InspectorProps {
  readonly conversation: ConversationDetails;
  readonly tab: InspectorTab;
  onTab(tab: InspectorTab): void;
  onClose(): void;
  /** After a branch was checked out, flattened, pruned or compacted: read the conversation again. */
  onChanged(): void;
}

/** What every panel gets. */
export interface PanelProps {
  readonly conversation: ConversationDetails;
  onChanged(): void;
}

interface Panel {
  readonly tab: InspectorTab;
  readonly name: string;
  load(): Promise<ComponentType<PanelProps>>;
}

const PANELS: readonly Panel[] = [
  { tab: "tree", name: "Tree", load: async () => (await import("./tree/tree-panel.tsx")).TreePanel },
  {
    tab: "context",
    name: "Context",
    load: async () => (await import("./context/context-panel.tsx")).ContextPanel,
  },
  {
    tab: "details",
    name: "Details",
    load: async () => (await import("./details/details-panel.tsx")).DetailsPanel,
  },
];

export function Inspector({ conversation, tab, onTab, onClose, onChanged }: InspectorProps): JSX.Element {
  const panel = PANELS.find((known) => known.tab === tab) as Panel;
  const shown = useLoad(tab, panel.load);
  return (
    <>
      <header class="bar">
        <div class="tabs grow" role="tablist" aria-label="About this conversation" onKeyDown={moveTab}>
          {PANELS.map(({ tab: option, name }) => (
            <button
              key={option}
              type="button"
              role="tab"
              id={`tab-${option}`}
              aria-controls="inspector-panel"
              aria-selected={option === tab}
              tabIndex={option === tab ? 0 : -1}
              onClick={() => onTab(option)}
            >
              {name}
            </button>
          ))}
        </div>
        <IconButton icon="close" name="Close" keys="Esc" onClick={onClose} />
      </header>
      <div class="inspector-panel" id="inspector-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Loaded load={shown} what={`${panel.name} could not be loaded`}>
          {(Shown) => <Shown conversation={conversation} onChanged={onChanged} />}
        </Loaded>
      </div>
    </>
  );
}

/** Arrows move between tabs and open them. */
function moveTab(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")];
  const next = tabs.at((tabs.indexOf(document.activeElement as HTMLElement) + step) % tabs.length);
  event.preventDefault();
  next?.focus();
  next?.click();
}
