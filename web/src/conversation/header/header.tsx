import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConversationDetails } from "../../../../src/gateway/wire/rest.ts";
import { mayWrite } from "../../api/session.ts";
import type { InspectorTab } from "../../inspector/inspector.tsx";
import { shortModel } from "../../list/chips.tsx";
import { moveToTrash } from "../../list/move-to-trash.ts";
import { titleOf } from "../../list/title.ts";
import { useCell } from "../../state/cell.ts";
import { IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu } from "../../ui/menu.tsx";
import { BackButton } from "../../ui/page/back-button.tsx";
import type { Chat } from "../chat.ts";
import { BranchSwitcher } from "./branch-switcher.tsx";
import { Meter } from "./meter.tsx";
import { Title } from "./title.tsx";
import "./header.css";

export interface HeaderProps {
  readonly chat: Chat;
  readonly details: ConversationDetails;
  /** Tokens that the next request would have. */
  readonly used: number | null;
  readonly tab: InspectorTab | null;
  onTab(tab: InspectorTab | null): void;
}

export function Header({ chat, details, used, tab, onTab }: HeaderProps): JSX.Element {
  const branches = useCell(chat.branches);
  const [title, setTitle] = useState<string | null>(null);
  // What was imported was written by another one than that of the next answer, which the composer names.
  const model = details.model ?? details.answeredBy.model;
  return (
    <header class="bar conversation-bar">
      <BackButton />
      <div class="grow conversation-names">
        <Title chat={chat} details={details} text={title} onText={setTitle} />
        <div class="small quiet conversation-about">
          {details.key && details.key !== titleOf(details) && (
            <span title={`Session key: ${details.key}`} class="key cut">
              {details.key}
            </span>
          )}
          <span title={`Model: ${model}`} class="model-name cut">
            {shortModel(model)}
          </span>
        </div>
      </div>
      {branches.length > 1 && <BranchSwitcher chat={chat} branches={branches} />}
      <Meter used={used} of={details.answeredBy.contextWindow} onClick={() => onTab("context")} />
      <IconButton
        icon="tree"
        name="Tree"
        keys="g t"
        pressed={tab === "tree"}
        onClick={() => onTab(tab === "tree" ? null : "tree")}
      />
      <Menu
        name="More"
        items={[
          {
            label: "Rename",
            icon: "edit",
            disabled: !mayWrite(),
            run: () => setTitle(details.title ?? ""),
          },
          { label: "Context", icon: "context", hint: "g c", run: () => onTab("context") },
          { label: "Details", icon: "list", run: () => onTab("details") },
          {
            label: "Download as Markdown",
            icon: "download",
            run: () =>
              location.assign(`/api/v1/conversations/${encodeURIComponent(chat.id)}/export?to=markdown`),
          },
          "line",
          {
            label: "Move to the trash",
            icon: "trash",
            danger: true,
            disabled: !mayWrite(),
            run: () => void moveToTrash(chat.id),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </header>
  );
}
