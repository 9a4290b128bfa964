/** A button that opens a list of things to do or to choose from. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { classes } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface MenuItem {
  readonly label: ComponentChildren;
  readonly icon?: IconName;
  /** At the right, quiet: a key or a number. */
  readonly hint?: ComponentChildren;
  /** Of a choice: whether it is the one. */
  readonly chosen?: boolean;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  run(): void;
}

export interface MenuProps {
  /** The name of the button. */
  readonly name: string;
  readonly class?: string;
  /** What the button shows. */
  readonly children: ComponentChildren;
  readonly heading?: string;
  readonly items: readonly (MenuItem | "line")[];
  /** Below the items. */
  readonly note?: string | undefined;
  readonly onOpen?: () => void;
}

const GAP = 4;

export function Menu({
  name,
  class: look = "button plain icon",
  children,
  heading,
  items,
  note,
  onOpen,
}: MenuProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={look}
        aria-label={name}
        title={name}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => {
          onOpen?.();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {open && button.current && (
        <MenuList
          name={name}
          anchor={button.current}
          {...(heading && { heading })}
          items={items}
          note={note}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

export interface MenuListProps {
  readonly name: string;
  /** Gets the focus back. */
  readonly anchor: HTMLElement;
  /** Where it opens, instead of beside the anchor. */
  readonly at?: { readonly x: number; readonly y: number };
  readonly heading?: string;
  readonly items: MenuProps["items"];
  readonly note?: string | undefined;
  onClose(): void;
}

/** In the top layer, so that nothing cuts it off. The browser closes it on Escape and on a click elsewhere. */
export function MenuList({ name, anchor, at, heading, items, note, onClose }: MenuListProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    element.showPopover();
    const closed = (event: ToggleEvent): void => {
      if (event.newState !== "closed") return;
      if (document.activeElement === document.body || element.contains(document.activeElement))
        anchor.focus();
      onClose();
    };
    element.addEventListener("toggle", closed);
    return () => element.removeEventListener("toggle", closed);
  }, []);
  // Again when there are more items, because some are read when the menu opens.
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    placeBeside(element, at ? new DOMRect(at.x, at.y) : anchor.getBoundingClientRect());
    (element.querySelector<HTMLElement>("[aria-checked=true]") ?? firstItem(element))?.focus();
  }, [items.length]);
  return (
    <div
      ref={list}
      class="menu"
      popover="auto"
      role="menu"
      aria-label={name}
      tabIndex={-1}
      onKeyDown={moveFocus}
    >
      {heading && <div class="menu-heading">{heading}</div>}
      {items.map((item, index) =>
        item === "line" ? (
          <hr key={index} />
        ) : (
          <button
            key={index}
            type="button"
            class={classes("menu-item", item.danger && "danger")}
            {...(item.chosen === undefined
              ? { role: "menuitem" }
              : { role: "menuitemradio", "aria-checked": item.chosen })}
            disabled={item.disabled ?? false}
            onClick={() => {
              list.current?.hidePopover();
              item.run();
            }}
          >
            {item.icon ? <Icon name={item.icon} /> : <Tick item={item} />}
            <span class="cut">{item.label}</span>
            {item.hint !== undefined && <span class="hint">{item.hint}</span>}
            {item.icon && item.chosen && (
              <span class="hint">
                <Icon name="check" />
              </span>
            )}
          </button>
        ),
      )}
      {note && <p class="menu-note">{note}</p>}
    </div>
  );
}

/** Before a choice without an icon, with room for it before the others. */
function Tick({ item: { chosen } }: { readonly item: MenuItem }): JSX.Element | null {
  if (chosen === undefined) return null;
  return <span class="tick">{chosen && <Icon name="check" />}</span>;
}

function firstItem(list: HTMLElement): HTMLElement | null {
  return list.querySelector<HTMLElement>("button:not(:disabled)");
}

/** Below the button, or above it if there is no room; always inside the window. */
function placeBeside(list: HTMLElement, around: DOMRect): void {
  const { width, height } = list.getBoundingClientRect();
  const below = around.bottom + GAP + height <= innerHeight || around.top < height + GAP;
  const top = below ? around.bottom + GAP : around.top - GAP - height;
  const wantsRight = around.left + width > innerWidth - GAP;
  const left = wantsRight ? around.right - width : around.left;
  list.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
  list.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
}

function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("button:not(:disabled)")];
  const current = items.indexOf(document.activeElement as HTMLElement);
  const next = {
    ArrowDown: current + 1,
    ArrowUp: current < 0 ? items.length - 1 : current - 1 + items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key];
  if (event.key === "Tab") event.currentTarget.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  items[next % items.length]?.focus();
}
