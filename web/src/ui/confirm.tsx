/** Asks before something that cannot be undone. */
import type { ComponentChildren, JSX } from "preact";
import { useAction } from "../state/use-action.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

export interface ConfirmProps {
  readonly title: string;
  /** The button: `Redact`, `Purge 3 conversations`. */
  readonly verb: string;
  /** There is nothing to confirm yet. */
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
  run(): Promise<void>;
  onClose(): void;
}

export function Confirm({ title, verb, disabled, children, run, onClose }: ConfirmProps): JSX.Element {
  const confirm = useAction(async () => {
    await run();
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        look="danger"
        disabled={disabled === true || confirm.running !== null}
        onClick={() => confirm.run()}
      >
        {verb}
      </Button>
    </>
  );
  return (
    <Dialog title={title} foot={foot} onClose={onClose}>
      {children}
      <Problem error={confirm.error} />
    </Dialog>
  );
}
