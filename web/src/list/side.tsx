import type { JSX } from "preact";
import { SideFoot } from "./side-foot.tsx";

export function Side(): JSX.Element {
  return (
    <nav class="side" aria-label="Conversations">
      <div class="grow" />
      <SideFoot />
    </nav>
  );
}
