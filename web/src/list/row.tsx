import type { JSX } from "preact";
import type { ConversationSummary } from "../../../src/gateway/wire/rest.ts";
import { conversationLink } from "../app/router.ts";
import { classes } from "../ui/button.tsx";
import { Count } from "../ui/values/count.tsx";
import { RelativeTime } from "../ui/values/time.tsx";
import { activeAt } from "./listed.ts";
import { askForMenu } from "./row-menu.tsx";
import { titleOf } from "./title.ts";
import { isUnread, useWords } from "./unread.ts";

export interface RowProps {
  readonly item: ConversationSummary;
  readonly isOpen: boolean;
}

export function Row({ item, isOpen }: RowProps): JSX.Element {
  const title = titleOf(item);
  const words = useWords(item);
  const unread = isUnread(item) && !isOpen;
  return (
    <a
      class={classes("row", isOpen && "open", unread && "unread")}
      href={conversationLink(item.id)}
      {...(isOpen && { "aria-current": "page" as const })}
      data-id={item.id}
      onContextMenu={(event) => askForMenu(item, event)}
    >
      <span class="row-line">
        {item.running && <span class="pulse" role="img" aria-label="Answering" title="Answering" />}
        <span class="row-title cut grow" title={title}>
          {title}
        </span>
        <span class="small quiet">
          <RelativeTime at={activeAt(item)} />
        </span>
      </span>
      <span class="row-line small quiet">
        {item.channel && <ChannelMark channel={item.channel} />}
        <span class="cut grow" title={words}>
          {unread && <span class="unseen">Unread: </span>}
          {words || (item.messageCount === 0 ? "No messages yet" : "No words in the last message")}
        </span>
        <Count value={item.messageCount} />
      </span>
    </a>
  );
}

/** Two letters; its name on hover. */
function ChannelMark({ channel }: { readonly channel: string }): JSX.Element {
  return (
    <span class="channel-mark" role="img" title={channel} aria-label={channel}>
      {channelLetters(channel)}
    </span>
  );
}

/** `CC` for `claude-code`, `Di` for `discord`. */
function channelLetters(channel: string): string {
  const [first = "", second] = channel.split(/[\s._-]+/).filter(Boolean);
  if (second) return `${[...first][0]}${[...second][0]}`.toUpperCase();
  const [initial = "", next = ""] = first;
  return `${initial.toUpperCase()}${next}`;
}
