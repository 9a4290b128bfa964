/** Asks before something that cannot be undone. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../api/api.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

export interface ConfirmProps {
  readonly title: string;
  /** The button: `Redact`, `Purge 3 conversations`. */
  readonly verb: string;
  readonly children: ComponentChildren;
  run(): Promise<void>;
  onClose(): void;
}

export function Confirm({ title, verb, children, run, onClose }: ConfirmProps): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await run();
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="danger" disabled={busy} onClick={confirm}>
        {verb}
      </Button>
    </>
  );
  return (
    <Dialog title={title} foot={foot} onClose={onClose}>
      {children}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
