import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ContextView } from "../../../src/gateway/wire/rest.ts";
import { api } from "../api/api.ts";
import { mayWrite } from "../api/session.ts";
import { useKey } from "../app/keys.ts";
import { Inspector, type InspectorTab } from "../inspector/inspector.tsx";
import { titleOf } from "../list/title.ts";
import { markSeen } from "../list/unread.ts";
import { useCell } from "../state/cell.ts";
import { useLoad } from "../state/use-load.ts";
import { Empty, Failure, Skeleton } from "../ui/list/states.tsx";
import { PageFrame, useTitle } from "../ui/page/page-frame.tsx";
import { Chat } from "./chat.ts";
import { ChatComposer } from "./chat-composer.tsx";
import { Header } from "./header/header.tsx";
import { MessageList } from "./message-list.tsx";
import { ReadingBar } from "./reading-bar.tsx";
import { isGone } from "./stretch.ts";
import "./conversation.css";

export interface ConversationViewProps {
  readonly id: string;
  readonly entry: string | null;
}

export function ConversationView({ id, entry }: ConversationViewProps): JSX.Element {
  const chat = useMemo(() => new Chat(id), [id]);
  useEffect(() => () => chat.close(), [chat]);
  const details = useCell(chat.details);
  const problem = useCell(chat.problem);
  const [tab, setTab] = useState<InspectorTab | null>(null);
  useTitle(details ? titleOf(details) : null);
  useEffect(() => details && markSeen(details), [details]);
  useKey("g t", () => setTab("tree"));
  useKey("g c", () => setTab("context"));
  useKey("Escape", tab ? () => setTab(null) : undefined);
  const context = useLoad(details?.head ? `${id} ${details.head}` : null, (signal) =>
    api<ContextView>("GET", `conversations/${encodeURIComponent(id)}/context`, { signal }),
  );
  if (!details)
    return (
      <PageFrame title={problem === undefined ? "" : "Conversation"}>
        {problem === undefined ? (
          <Skeleton />
        ) : isGone(problem) ? (
          <Empty title="This conversation does not exist">
            <p>It may have been purged, or the link to it is wrong.</p>
            <a href="#/">Back to the conversations</a>
          </Empty>
        ) : (
          <Failure
            what="The conversation could not be read"
            error={problem}
            onRetry={() => void chat.readAgain()}
          />
        )}
      </PageFrame>
    );
  return (
    <div class="conversation">
      <div class="conversation-main">
        <Header chat={chat} details={details} used={usedOf(context.value)} tab={tab} onTab={setTab} />
        <ReadingBar chat={chat} />
        <div class="messages-area">
          <MessageList chat={chat} marked={entry} />
        </div>
        {mayWrite() && <ChatComposer chat={chat} details={details} onTab={setTab} />}
      </div>
      {tab && (
        <>
          <button
            type="button"
            class="inspector-shade"
            aria-label="Close the inspector"
            onClick={() => setTab(null)}
          />
          <aside class="inspector" aria-label="Inspector">
            <Inspector
              conversation={details}
              tab={tab}
              onTab={setTab}
              onClose={() => setTab(null)}
              onChanged={() => void chat.readAll()}
            />
          </aside>
        </>
      )}
    </div>
  );
}

function usedOf(context: ContextView | undefined): number | null {
  return context
    ? context.tokens.system + context.tokens.summary + context.tokens.kept + context.tokens.cut
    : null;
}
