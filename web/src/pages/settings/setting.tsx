import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SettingView } from "../../../../src/gateway/wire/rest.ts";
import { Button } from "../../ui/button.tsx";
import { SettingField } from "./setting-field.tsx";
import { valueText } from "./setting-text.ts";

export interface SettingProps {
  readonly setting: SettingView;
  onChanged(): void;
}

/** One value: its path, what it does, where it comes from, and its field while it is edited. */
export function Setting({ setting, onChanged }: SettingProps): JSX.Element {
  const { path, value, help, source, file, line, editable, needsRestart } = setting;
  const [editing, setEditing] = useState(false);
  const text = valueText(value);
  const place = file === null ? SOURCES[source] : `${file}${line === null ? "" : `:${line}`}`;
  return (
    <div class="setting">
      <div class="setting-name">
        <code>{path}</code>
        {help !== null && <p class="quiet small">{help}</p>}
        {needsRestart && <p class="quiet small">Takes effect with the next start</p>}
      </div>
      {editing ? (
        <SettingField setting={setting} onChanged={onChanged} onClose={() => setEditing(false)} />
      ) : (
        <div class="setting-value">
          <div class="grow">
            {text === "" ? <span class="quiet">not set</span> : <code class="setting-text">{text}</code>}
            {text !== "" && <p class="quiet small setting-place">{place}</p>}
          </div>
          {editable ? (
            <Button small look="plain" icon="edit" onClick={() => setEditing(true)}>
              Edit<span class="unseen"> {path}</span>
            </Button>
          ) : (
            <span class="quiet small" title="Changed in the config file, or with colloquy config set">
              Read-only here
            </span>
          )}
        </div>
      )}
    </div>
  );
}

/** Of values that no file holds. */
const SOURCES: Readonly<Record<string, string>> = {
  default: "the default",
  env: "the environment",
  override: "the command line",
};
