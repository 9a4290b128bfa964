import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { classes, IconButton } from "./button.tsx";

export interface DialogProps {
  readonly title: string;
  readonly wide?: boolean;
  /** The buttons at the end. */
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Of a form: Enter in one of its fields, or its button. */
  readonly onSubmit?: () => void;
  onClose(): void;
}

const FIRST = ".dialog-body :is(input, textarea, select):not(:disabled), .dialog-foot button:not(:disabled)";

/** Modal: the browser keeps the focus inside, closes it on Escape, and gives the focus back. */
export function Dialog({ title, wide, foot, children, onSubmit, onClose }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // The event of closing comes later: one that was replaced by another must not close that, too.
  const gone = useRef(false);
  // Before the next key: one that is pressed right after the click belongs to the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would choose the button that closes it, and the first space would press that.
    element?.querySelector<HTMLElement>(FIRST)?.focus();
    return () => {
      gone.current = true;
      element?.close();
    };
  }, []);
  const inside = (
    <>
      <div class="dialog-body">{children}</div>
      {foot && <div class="dialog-foot">{foot}</div>}
    </>
  );
  return (
    <dialog
      ref={dialog}
      class={classes("dialog", wide && "wide")}
      aria-labelledby={heading}
      onClose={() => !gone.current && onClose()}
    >
      <div class="dialog-head">
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" name="Close" onClick={onClose} />
      </div>
      {onSubmit ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {inside}
        </form>
      ) : (
        inside
      )}
    </dialog>
  );
}
