import type { JSX } from "preact";
import { useTitle } from "../ui/page-frame.tsx";
import { Empty } from "../ui/states.tsx";

export function Home(): JSX.Element {
  useTitle(null);
  return (
    <Empty title="Nothing is chosen">
      <p>Choose a conversation from the list.</p>
    </Empty>
  );
}
