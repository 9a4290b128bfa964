import type { JSX } from "preact";
import { useCell } from "../state/cell.ts";
import { Button } from "../ui/button.tsx";
import type { Chat } from "./chat.ts";
import { useActions } from "./use-actions.ts";

/** While another branch than the checked-out one is read, because a link led there. */
export function ReadingBar({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const branch = useCell(chat.reading);
  const { switchTo } = useActions(chat);
  if (branch === null) return null;
  return (
    <div class="reading-bar" role="status">
      <span class="grow cut">
        You are reading the branch <strong>{branch}</strong>, which is not checked out.
      </span>
      <Button small onClick={() => void chat.readAll()}>
        Back
      </Button>
      <Button small onClick={() => switchTo(branch)}>
        Switch to it
      </Button>
    </div>
  );
}
