/** Every page except a conversation: a bar with its name, and a column that scrolls. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { BackButton } from "./back-button.tsx";

export interface PageFrameProps {
  readonly title: string;
  /** At the right of the bar. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function PageFrame({ title, actions, children }: PageFrameProps): JSX.Element {
  useTitle(title);
  return (
    <>
      <header class="bar">
        <BackButton />
        <h1 class="grow cut">{title}</h1>
        {actions}
      </header>
      <div class="page-scroll">
        <div class="page-body">{children}</div>
      </div>
    </>
  );
}

/** In the tab of the browser. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    document.title = title ? `${title} · Colloquy` : "Colloquy";
  }, [title]);
}
