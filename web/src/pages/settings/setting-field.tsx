import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SettingView } from "../../../../src/gateway/wire/rest.ts";
import { messageOf } from "../../api/api.ts";
import { useAction } from "../../state/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { valueText } from "./setting-text.ts";
import { settingsApi } from "./settings-api.ts";

export interface SettingFieldProps {
  readonly setting: SettingView;
  onChanged(): void;
  onClose(): void;
}

/** The field of a value. What is wrong with it is said right below. */
export function SettingField({ setting, onChanged, onClose }: SettingFieldProps): JSX.Element {
  const { path, value, source, kind, secret } = setting;
  // What is masked must not be written back.
  const [text, setText] = useState(secret ? "" : valueText(value));
  const input = useRef<HTMLInputElement>(null);
  const problem = useId();
  useLayoutEffect(() => input.current?.focus(), []);
  const save = useAction(async (change: () => Promise<unknown>) => {
    await change();
    onChanged();
    onClose();
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    save.run(() => settingsApi.change(path, text));
  };
  const cancelOnEscape = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
  };
  return (
    <form class="setting-form" onSubmit={submit}>
      <input
        ref={input}
        type="text"
        class="field"
        aria-label={path}
        aria-invalid={save.error !== undefined}
        aria-describedby={problem}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={cancelOnEscape}
      />
      <p id={problem} class="small">
        {save.error === undefined ? (
          <span class="quiet">{kind !== null && `Takes ${kind}`}</span>
        ) : (
          <span class="setting-problem" role="alert">
            {messageOf(save.error)}
          </span>
        )}
      </p>
      <div class="setting-buttons">
        <Button small submit look="primary" disabled={save.running !== null}>
          Save
        </Button>
        <Button small onClick={onClose}>
          Cancel
        </Button>
        {source === "file" && (
          <Button
            small
            look="plain"
            disabled={save.running !== null}
            onClick={() => save.run(() => settingsApi.unset(path))}
          >
            Use the default
          </Button>
        )}
      </div>
    </form>
  );
}
