/** One line that opens in place. What was opened stays open when it scrolls out of view and back. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

const opened = new Set<string>();

export interface FoldProps {
  readonly id: string;
  readonly line: ComponentChildren;
  children(): ComponentChildren;
}

export function Fold({ id, line, children }: FoldProps): JSX.Element {
  const [isOpen, setOpen] = useState(opened.has(id));
  const toggle = (): void => {
    if (isOpen) opened.delete(id);
    else opened.add(id);
    setOpen(!isOpen);
  };
  return (
    <div class="fold">
      <button type="button" class="fold-line" aria-expanded={isOpen} onClick={toggle}>
        <Icon name={isOpen ? "down" : "right"} />
        {line}
      </button>
      {isOpen && <div class="fold-body">{children()}</div>}
    </div>
  );
}
