import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../api/api.ts";
import { Button } from "../../ui/button.tsx";

export interface EditMessageProps {
  readonly text: string;
  save(text: string): Promise<void>;
  onClose(): void;
}

/** Another version of a message, on a new branch. The first one stays. */
export function EditMessage({ text: before, save, onClose }: EditMessageProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [text]);
  useLayoutEffect(() => field.current?.focus(), []);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      await save(text);
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <div class="edit-message">
      <textarea
        ref={field}
        class="field"
        aria-label="Another version of this message"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            void submit();
          }
        }}
      />
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="edit-foot">
        <span class="small quiet grow">Kept beside the first version, on a new branch</span>
        <Button small onClick={onClose}>
          Cancel
        </Button>
        <Button small look="primary" disabled={busy || text.trim() === ""} onClick={submit}>
          Send
        </Button>
      </div>
    </div>
  );
}
