import type { JSX } from "preact";
import { Icon } from "../icon.tsx";

/** To the list, where there is room for one column only. */
export function BackButton(): JSX.Element {
  return (
    <a class="back button plain icon" href="#/" aria-label="Back to the list">
      <Icon name="back" />
    </a>
  );
}
