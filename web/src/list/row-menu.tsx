/** What can be done with a conversation in the list: a right click, or the key for it. */
import type { JSX } from "preact";
import type { ConversationSummary } from "../../../src/gateway/wire/rest.ts";
import { address } from "../api/api.ts";
import { conversationPath } from "../api/paths.ts";
import { mayWrite } from "../api/session.ts";
import { conversationLink } from "../app/router.ts";
import { Cell, useCell } from "../state/cell.ts";
import { copyText } from "../ui/copy-text.ts";
import { MenuList, type MenuListProps } from "../ui/menu.tsx";
import { showProblem, showToast } from "../ui/toast.tsx";
import { moveToTrash } from "./move-to-trash.ts";
import { titleOf } from "./title.ts";

interface Asked {
  readonly item: ConversationSummary;
  readonly row: HTMLElement;
  readonly at: { readonly x: number; readonly y: number };
}

const asked = new Cell<Asked | null>(null);

/** With Shift, the menu of the browser stays. */
export function askForMenu(item: ConversationSummary, event: MouseEvent): void {
  if (event.shiftKey) return;
  event.preventDefault();
  const row = event.currentTarget as HTMLElement;
  const show = (): void => asked.set({ item, row, at: { x: event.clientX, y: event.clientY } });
  // Letting the button go elsewhere than in a menu closes it.
  if (event.buttons === 0) show();
  else addEventListener("pointerup", () => setTimeout(show), { once: true });
}

/** One for all rows: those that are scrolled out of view do not exist. */
export function RowMenu(): JSX.Element | null {
  const open = useCell(asked);
  if (!open) return null;
  const { item, row, at } = open;
  return (
    <MenuList
      key={item.id}
      name={`“${titleOf(item)}”`}
      anchor={row}
      at={at}
      items={itemsFor(item)}
      onClose={() => asked.set(null)}
    />
  );
}

function itemsFor({ id }: ConversationSummary): MenuListProps["items"] {
  const link = `${location.origin}${location.pathname}${conversationLink(id)}`;
  return [
    { label: "Open in a new tab", icon: "right", run: () => void open(link, "_blank", "noopener") },
    { label: "Copy link", icon: "link", run: () => void copyLink(link) },
    {
      label: "Download as Markdown",
      icon: "download",
      run: () => location.assign(address(conversationPath(id, "export"), { to: "markdown" })),
    },
    "line",
    {
      label: "Move to the trash",
      icon: "trash",
      danger: true,
      disabled: !mayWrite(),
      run: () => void moveToTrash(id),
    },
  ];
}

async function copyLink(link: string): Promise<void> {
  try {
    await copyText(link);
    showToast("The link is copied.");
  } catch (error) {
    showProblem("It was not copied", error);
  }
}
