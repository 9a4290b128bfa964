import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { MessageEntry } from "../../../../src/message/types.ts";
import { messageOf } from "../../api/api.ts";
import { useLoad } from "../../state/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { Failure } from "../../ui/list/states.tsx";
import { attachedTo, blocksOf } from "../rows.ts";
import { wordsOf } from "./words.ts";

export interface EditMessageProps {
  readonly conversation: string;
  readonly entry: MessageEntry;
  save(text: string): Promise<void>;
  onClose(): void;
}

/** Another version of a message, on a new branch. The first one stays. */
export function EditMessage({ conversation, entry, save, onClose }: EditMessageProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const before = useLoad(entry.id, () => wordsOf(conversation, entry));
  const [typed, setText] = useState<string | null>(null);
  const text = typed ?? before.value ?? "";
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [text]);
  useLayoutEffect(() => field.current?.focus(), [before.loading]);
  const isEmpty = before.loading || (text.trim() === "" && !hasFiles(entry));
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
  if (before.error !== undefined)
    return <Failure what="The message could not be read" error={before.error} onRetry={before.reload} />;
  return (
    <div class="edit-message">
      <textarea
        ref={field}
        class="field"
        aria-label="Another version of this message"
        value={text}
        disabled={before.loading}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            if (!isEmpty && !busy) void submit();
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
        <Button small look="primary" disabled={busy || isEmpty} onClick={submit}>
          Send
        </Button>
      </div>
    </div>
  );
}

/** What is not words is kept. */
function hasFiles(entry: MessageEntry): boolean {
  return attachedTo(entry).size > 0 || blocksOf(entry).some(({ type }) => type !== "text");
}
