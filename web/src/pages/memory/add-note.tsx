import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { useAction } from "../../state/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/problem.tsx";
import { memoryApi } from "./memory-api.ts";

export function AddNote({ onAdded, onClose }: { onAdded(): void; onClose(): void }): JSX.Element {
  const [text, setText] = useState("");
  const field = useId();
  const add = useAction(async () => {
    await memoryApi.add(text.trim());
    onAdded();
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="primary" disabled={text.trim() === "" || add.running !== null} onClick={() => add.run()}>
        Add
      </Button>
    </>
  );
  return (
    <Dialog title="Add a note" foot={foot} onClose={onClose}>
      <label class="label" for={field}>
        What to remember
      </label>
      <textarea
        id={field}
        class="field"
        rows={6}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Problem error={add.error} />
    </Dialog>
  );
}
