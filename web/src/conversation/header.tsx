import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { BranchView, ConversationDetails } from "../../../src/gateway/wire/rest.ts";
import { mayWrite } from "../api/session.ts";
import type { InspectorTab } from "../inspector/inspector.tsx";
import { shortModel } from "../list/chips.tsx";
import { moveToTrash } from "../list/move-to-trash.ts";
import { titleOf } from "../list/title.ts";
import { useCell } from "../state/cell.ts";
import { BackButton } from "../ui/back-button.tsx";
import { IconButton } from "../ui/button.tsx";
import { exactCount, shortCount } from "../ui/count.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { showProblem } from "../ui/toast.tsx";
import type { Chat } from "./chat.ts";
import { checkOut, patchConversation } from "./requests.ts";

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
  return (
    <header class="bar conversation-bar">
      <BackButton />
      <div class="grow conversation-names">
        <Title chat={chat} details={details} />
        <div class="small quiet cut">
          {details.key && (
            <span title="Session key" class="key">
              {details.key}
            </span>
          )}
          <span title={details.answeredBy.model}>{shortModel(details.answeredBy.model)}</span>
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

/** Edited where it is. Shown changed at once, and changed back if the gateway refuses. */
function Title({
  chat,
  details,
}: {
  readonly chat: Chat;
  readonly details: ConversationDetails;
}): JSX.Element {
  const [text, setText] = useState<string | null>(null);
  const title = titleOf(details);
  if (text === null)
    return (
      <h1 class="cut">
        <button
          type="button"
          class="title-button cut"
          title={mayWrite() ? `${title} (click to rename)` : title}
          disabled={!mayWrite()}
          onClick={() => setText(details.title ?? "")}
        >
          {title}
        </button>
      </h1>
    );
  const save = async (): Promise<void> => {
    const next = text.trim() || null;
    setText(null);
    if (next === details.title) return;
    chat.details.set({ ...details, title: next });
    try {
      chat.details.set(await patchConversation(chat.id, { title: next }));
    } catch (error) {
      chat.details.set(details);
      showProblem("The title was not changed", error);
    }
  };
  return (
    <input
      class="field title-field"
      aria-label="Title"
      value={text}
      ref={(field) => field?.focus()}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") setText(null);
      }}
    />
  );
}

function BranchSwitcher({
  chat,
  branches,
}: {
  readonly chat: Chat;
  readonly branches: readonly BranchView[];
}): JSX.Element {
  const active = branches.find((branch) => branch.active)?.name ?? "main";
  const switchTo = async (name: string): Promise<void> => {
    try {
      await chat.move(() => checkOut(chat.id, name));
    } catch (error) {
      showProblem("The branch was not switched", error);
    }
  };
  return (
    <Menu
      name={`Branch: ${active}`}
      class="chip branch-chip"
      heading="Branches"
      items={branches.map(({ name, active: chosen, entryCount, firstWords }) => ({
        label: firstWords ? `${name}: ${firstWords}` : name,
        hint: shortCount(entryCount),
        chosen,
        run: () => void switchTo(name),
      }))}
    >
      <Icon name="branch" />
      <span class="cut">{active}</span>
    </Menu>
  );
}

interface MeterProps {
  readonly used: number | null;
  readonly of: number | null;
  onClick(): void;
}

/** How much of the model's window the conversation takes. */
function Meter({ used, of, onClick }: MeterProps): JSX.Element | null {
  if (used === null || of === null) return null;
  const part = Math.min(1, used / of);
  return (
    <button
      type="button"
      class="meter-button"
      title={`${exactCount(used)} of ${exactCount(of)} tokens`}
      onClick={onClick}
    >
      <span class="meter" data-level={part > 0.9 ? "full" : part > 0.75 ? "high" : "low"}>
        <span style={{ width: `${Math.max(2, part * 100)}%` }} />
      </span>
      <span class="small quiet number">
        {shortCount(used)} / {shortCount(of)}
        <span class="unseen"> tokens of the context</span>
      </span>
    </button>
  );
}
