/** Where messages are written. What was typed is never lost. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/api.ts";
import { connection } from "../api/live.ts";
import { useKey } from "../app/keys.ts";
import { useCell } from "../state/cell.ts";
import { classes, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { AttachedFiles } from "./attached-files.tsx";
import { askedIn, type Command, matching, runCommand, typed } from "./commands.ts";
import { Completion } from "./completion.tsx";
import { draftOf, type Outgoing } from "./draft.ts";
import { ModelPicker } from "./model-picker.tsx";
import "./composer.css";

export interface ComposerProps {
  /** Whose draft it is. */
  readonly draft: string;
  readonly isAnswering: boolean;
  readonly model: string;
  readonly commands: readonly Command[];
  readonly autoFocus?: boolean;
  /** Rejects with the reason. */
  send(message: Outgoing): Promise<void>;
  stop?(): void;
  onModel(model: string): void;
}

export function Composer(props: ComposerProps): JSX.Element {
  const { isAnswering, model, send, stop, onModel } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = draftOf(props.draft);
  const { attachments } = draft;
  const text = useCell(draft.text);
  const files = useCell(attachments.all);
  const problem = useCell(draft.problem);
  const underWay = useCell(draft.underWay);
  const [chosen, setChosen] = useState(0);
  const [isDragging, setDragging] = useState(false);
  const isOnline = useCell(connection) === "open";
  const help = { name: "help", help: "List the commands", run: () => draft.text.set("/") };
  const commands = [...props.commands, help];
  const [isClosed, setClosed] = useState(false);
  const found = isClosed ? [] : matching(commands, text);
  useKey("c", () => field.current?.focus());

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);
  useLayoutEffect(() => {
    if (props.autoFocus) field.current?.focus();
  }, []);

  const isStoring = files.some(({ state }) => state === "storing");
  const isEmpty = text.trim() === "" && files.length === 0;

  const submit = async (): Promise<void> => {
    if (isEmpty || isStoring) return;
    const asked = askedIn(text);
    if (!asked) return draft.submit(send);
    draft.problem.set(null);
    draft.text.set("");
    try {
      await runCommand(commands, asked);
    } catch (error) {
      draft.text.set(text);
      draft.problem.set(messageOf(error));
    }
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (found.length > 0 && complete(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void submit();
    } else if (event.key === "Escape") field.current?.blur();
  };
  const complete = (event: KeyboardEvent): boolean => {
    const command = found[chosen];
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setChosen((old) => (old + by + found.length) % found.length);
    else if (event.key === "Escape") {
      setClosed(true);
      if (text === "/") draft.text.set("");
    } else if (command && (event.key === "Tab" || (event.key === "Enter" && text !== `/${command.name}`)))
      draft.text.set(typed(command));
    else return false;
    event.preventDefault();
    return true;
  };

  return (
    <div class="composer-place">
      <form
        class={classes("composer", isDragging && "dragging")}
        aria-label="Write a message"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onDragOver={(event) => {
          event.preventDefault();
          setDragging(true);
        }}
        onDragLeave={() => setDragging(false)}
        onDrop={(event) => {
          event.preventDefault();
          setDragging(false);
          attachments.add(event.dataTransfer?.files ?? []);
        }}
      >
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {found.length > 0 && (
          <Completion
            commands={found}
            chosen={chosen}
            onChoose={(command) => draft.text.set(typed(command))}
          />
        )}
        <AttachedFiles files={attachments} />
        <textarea
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder={isAnswering ? "Write the next message" : "Write a message, or / for commands"}
          value={text}
          onInput={(event) => {
            setChosen(0);
            setClosed(false);
            draft.text.set(event.currentTarget.value);
          }}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const pasted = event.clipboardData?.files;
            if (!pasted?.length) return;
            event.preventDefault();
            attachments.add(pasted);
          }}
        />
        <div class="composer-foot">
          <FileButton onFiles={(added) => attachments.add(added)} />
          <ModelPicker model={model} onModel={onModel} />
          <span class="grow" />
          {!isOnline && underWay.length > 0 && <span class="small quiet">Sent when the gateway is back</span>}
          {isAnswering && stop && <IconButton icon="stop" name="Stop the answer" onClick={stop} />}
          <button
            type="submit"
            class="button primary icon send"
            aria-label="Send"
            title="Send (Enter)"
            disabled={isEmpty || isStoring}
          >
            <Icon name="send" />
          </button>
        </div>
      </form>
    </div>
  );
}

function FileButton({ onFiles }: { onFiles(files: Iterable<File>): void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <IconButton icon="attach" name="Attach files" onClick={() => input.current?.click()} />
    </>
  );
}
