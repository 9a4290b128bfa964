import type { JSX } from "preact";
import { classes, IconButton } from "../ui/button.tsx";
import { shortBytes } from "../ui/count.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Attachments } from "./attachments.ts";

export function AttachedFiles({ files }: { readonly files: Attachments }): JSX.Element | null {
  if (files.all.length === 0) return null;
  return (
    <ul class="attached" aria-label="Attached files">
      {files.all.map(({ key, name, size, state, problem }) => (
        <li key={key} class={classes("attachment", state === "failed" && "bad")} title={problem ?? name}>
          <Icon name="file" />
          <span class="cut">{name}</span>
          <span class="small quiet">{state === "storing" ? "storing …" : (problem ?? shortBytes(size))}</span>
          <IconButton small icon="close" name={`Remove ${name}`} onClick={() => files.remove(key)} />
        </li>
      ))}
    </ul>
  );
}
