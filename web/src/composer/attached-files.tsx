import type { JSX } from "preact";
import { useCell } from "../state/cell.ts";
import { classes, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { shortBytes } from "../ui/values/count.tsx";
import type { Attached, Attachments } from "./attachments.ts";
import { isReadable } from "./readable.ts";

export function AttachedFiles({ files }: { readonly files: Attachments }): JSX.Element | null {
  const all = useCell(files.all);
  if (all.length === 0) return null;
  return (
    <ul class="attached" aria-label="Attached files">
      {all.map((file) => {
        const { key, name, size, state, problem } = file;
        return (
          <li
            key={key}
            class={classes("attachment", state === "failed" && "bad")}
            title={problem ?? `${name}${unreadable(file)}`}
          >
            <Icon name="file" />
            <span class="cut">{name}</span>
            <span class="small quiet cut">
              {state === "storing" ? "storing …" : (problem ?? `${shortBytes(size)}${unreadable(file)}`)}
            </span>
            {state === "failed" && (
              <IconButton
                small
                icon="again"
                name={`Try ${name} again`}
                onClick={() => void files.store(file)}
              />
            )}
            <IconButton small icon="close" name={`Remove ${name}`} onClick={() => files.remove(key)} />
          </li>
        );
      })}
    </ul>
  );
}

function unreadable({ stored }: Attached): string {
  return !stored || isReadable(stored.mediaType) ? "" : " · the model gets only its name";
}
