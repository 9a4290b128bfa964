import type { JSX } from "preact";
import { Markdown } from "../markdown/markdown.tsx";
import { Icon } from "../ui/icon.tsx";
import { End, Failure, Skeleton } from "../ui/list/states.tsx";
import type { Chat } from "./chat.ts";
import type { Item } from "./items.ts";
import { MessageView } from "./message/message.tsx";
import { Rule, RuleView } from "./message/rule.tsx";
import { RunningView } from "./message/running-view.tsx";
import type { Actions } from "./use-actions.ts";

export interface ItemViewProps {
  readonly chat: Chat;
  readonly item: Item;
  readonly isLast: boolean;
  readonly marked: string | null;
  readonly editing: string | null;
  readonly actions: Actions;
  onEdit(entry: string | null): void;
}

export function ItemView({
  chat,
  item,
  isLast,
  marked,
  editing,
  actions,
  onEdit,
}: ItemViewProps): JSX.Element {
  switch (item.kind) {
    case "message":
      return (
        <MessageView
          conversation={chat.id}
          row={item}
          isMarked={item.entry.id === marked}
          isEditing={item.entry.id === editing}
          onEdit={(on) => onEdit(on ? item.entry.id : null)}
          actions={actions}
        />
      );
    case "rule":
      return <RuleView row={item} actions={actions} isLast={isLast} />;
    case "running":
      return <RunningView answer={item.running} />;
    case "pending":
      return (
        <article class="message user pending" aria-label="You, being sent">
          <div class="message-body">
            <Markdown text={item.pending.text} />
            {item.pending.files.map(({ blob, name }) => (
              <span class="attachment" key={blob}>
                <Icon name="file" /> {name}
              </span>
            ))}
          </div>
          <footer class="message-foot shown">
            <span class="small quiet">
              {item.pending.entry === null ? "Sending …" : "Waits for the answer above"}
            </span>
          </footer>
        </article>
      );
    case "failure":
      return (
        <>
          <Rule icon="warning" words="The answer failed">
            <button type="button" class="rule-action" onClick={actions.resume}>
              try again
            </button>
          </Rule>
          <p class="problem">{item.reason}</p>
        </>
      );
    default:
      return <Edge chat={chat} item={item} />;
  }
}

function Edge({
  chat,
  item,
}: {
  readonly chat: Chat;
  readonly item: Item & { readonly kind: "top" | "bottom" };
}): JSX.Element {
  const { hasBefore, error, entries } = item.state;
  if (error !== undefined)
    return <Failure what="Messages could not be read" error={error} onRetry={chat.timeline.retry} />;
  if (item.kind === "bottom" || hasBefore) return <Skeleton lines={3} />;
  if (entries.length === 0) return <End>No messages yet</End>;
  return <End>Beginning of the conversation</End>;
}
