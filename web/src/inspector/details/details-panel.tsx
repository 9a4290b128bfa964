/** Inspector · details: what is known about a conversation, its exports, and its end. */
import type { ComponentChildren, JSX } from "preact";
import { address } from "../../api/api.ts";
import { conversationPath } from "../../api/paths.ts";
import { mayWrite } from "../../api/session.ts";
import { moveToTrash } from "../../list/move-to-trash.ts";
import { useAction } from "../../state/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { exactCount, money, shortCount } from "../../ui/values/count.tsx";
import { RelativeTime } from "../../ui/values/time.tsx";
import type { PanelProps } from "../inspector.tsx";
import { EXPORTS } from "./exports.ts";
import "../../pages/pages.css";
import "./details.css";

export function DetailsPanel({ conversation }: PanelProps): JSX.Element {
  const { id, key, channel, model, branch, head, usage, answeredBy, lastMessageAt } = conversation;
  const remove = useAction(() => moveToTrash(id));
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return (
    <div class="panel">
      <dl class="fact-list">
        <Fact name="Key">{key === null ? "–" : <Copied text={key} what="Copy the key" />}</Fact>
        <Fact name="Id">
          <Copied text={id} what="Copy the id" />
        </Fact>
        <Fact name="Channel">{channel ?? "–"}</Fact>
        {model !== null && model !== answeredBy.model && <Fact name="Model">{model}</Fact>}
        <Fact name="Answers now">
          {answeredBy.model}
          {answeredBy.contextWindow !== null && (
            <span class="quiet"> · window {shortCount(answeredBy.contextWindow)}</span>
          )}
        </Fact>
        <Fact name="Branch">{branch}</Fact>
        <Fact name="Head">{head === null ? "–" : <Copied text={head} what="Copy the id of the head" />}</Fact>
        <Fact name="Created">
          <RelativeTime at={conversation.createdAt} />
        </Fact>
        <Fact name="Last message">{lastMessageAt === null ? "–" : <RelativeTime at={lastMessageAt} />}</Fact>
        <Fact name="Messages">{exactCount(conversation.messageCount)}</Fact>
        <Fact name="Branches">{exactCount(conversation.branchCount)}</Fact>
        <Fact name="Compactions">{exactCount(conversation.compactionCount)}</Fact>
        <Fact name="Tokens read">{exactCount(input)}</Fact>
        <Fact name="Tokens written">{exactCount(usage.outputTokens)}</Fact>
        <Fact name="Cost">{usage.cost === null ? "–" : money(usage.cost)}</Fact>
      </dl>
      <h3>Export</h3>
      <ul class="exports">
        {EXPORTS.map(({ format, name, what }) => (
          <li key={format}>
            <a href={address(conversationPath(id, "export"), { to: format })} download>
              {name}
            </a>
            <span class="quiet small">{what}</span>
          </li>
        ))}
      </ul>
      {mayWrite() && (
        <Button icon="trash" look="danger" disabled={remove.running !== null} onClick={() => remove.run()}>
          Move to the trash
        </Button>
      )}
    </div>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Copied({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  return (
    <span class="copied">
      <code>{text}</code>
      <CopyButton name={what} text={() => text} />
    </span>
  );
}
