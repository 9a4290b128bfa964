import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { MessageEntry } from "../../../../src/message/types.ts";
import { isAdmin, mayWrite } from "../../api/session.ts";
import { conversationLink } from "../../app/router.ts";
import { shortModel } from "../../list/chips.tsx";
import { classes, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { money, shortCount } from "../../ui/values/count.tsx";
import { RelativeTime } from "../../ui/values/time.tsx";
import type { MessageRow, Part } from "../rows.ts";
import { InConversation } from "./blob.tsx";
import { EditMessage } from "./edit-message.tsx";
import { PartView } from "./parts.tsx";
import { wordsOf } from "./words.ts";

const ROLES: Readonly<Record<string, string>> = {
  user: "You",
  assistant: "Assistant",
  system: "System",
};

export interface MessageActions {
  edit(entry: MessageEntry, text: string): Promise<void>;
  regenerate(entry: MessageEntry): void;
  branch(entry: MessageEntry): void;
  redact(entry: MessageEntry): Promise<void>;
}

export interface MessageViewProps {
  readonly conversation: string;
  readonly row: MessageRow;
  /** The target of a link. */
  readonly isMarked: boolean;
  readonly isEditing: boolean;
  readonly actions: MessageActions;
  onEdit(on: boolean): void;
}

export function MessageView(props: MessageViewProps): JSX.Element {
  const { conversation, row, isMarked, isEditing, onEdit, actions } = props;
  const { entry, parts, continues } = row;
  const { role } = entry.message;
  return (
    <article
      class={classes("message", role, isMarked && "marked", continues && "continues")}
      data-entry={entry.id}
      aria-label={ROLES[role] ?? role}
      tabIndex={-1}
    >
      <div class="message-body">
        {row.label !== null && <span class="chip set message-label">{row.label}</span>}
        {isEditing && (
          <EditMessage
            conversation={conversation}
            entry={entry}
            save={(text) => actions.edit(entry, text)}
            onClose={() => onEdit(false)}
          />
        )}
        <InConversation.Provider value={conversation}>
          {(isEditing ? parts.filter(isFile) : parts).map((part) => (
            <PartView key={part.index} entry={entry} part={part} />
          ))}
        </InConversation.Provider>
      </div>
      <Foot {...props} />
    </article>
  );
}

/** Shown on hover and on focus. */
function Foot({ conversation, row: { entry }, actions, onEdit }: MessageViewProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const { role, model } = entry.message;
  return (
    <footer class="message-foot">
      <span class="small quiet cut grow">
        {ROLES[role] ?? role}
        {model && ` · ${shortModel(model)}`} · <RelativeTime at={entry.at} />
        <Usage entry={entry} />
      </span>
      {mayWrite() && role === "user" && (
        <IconButton small icon="edit" name="Edit as a branch" keys="e" onClick={() => onEdit(true)} />
      )}
      {mayWrite() && role === "assistant" && (
        <IconButton small icon="again" name="Answer again" onClick={() => actions.regenerate(entry)} />
      )}
      {mayWrite() && (
        <IconButton small icon="branch" name="Branch here" keys="b" onClick={() => actions.branch(entry)} />
      )}
      <CopyButton name="Copy" text={() => wordsOf(conversation, entry)} />
      <CopyButton icon="link" name="Copy link" text={() => linkTo(conversation, entry.id)} />
      {isAdmin() && <IconButton small icon="erase" name="Redact" onClick={() => setAsking(true)} />}
      {isAsking && (
        <Confirm
          title="Redact this message?"
          verb="Redact"
          run={() => actions.redact(entry)}
          onClose={() => setAsking(false)}
        >
          <p>
            Its content is erased from the store and from the search index, permanently. The message keeps its
            place. If it was imported, the file that it comes from still has it.
          </p>
        </Confirm>
      )}
    </footer>
  );
}

function Usage({ entry }: { readonly entry: MessageEntry }): JSX.Element | null {
  const { usage } = entry.message;
  if (!usage) return null;
  const read = (name: string): number => (typeof usage[name] === "number" ? usage[name] : 0);
  const tokens = read("input_tokens") + read("output_tokens");
  const cost = read("cost");
  return (
    <span class="number">
      {tokens > 0 && ` · ${shortCount(tokens)} tokens`}
      {cost > 0 && ` · ${money(cost)}`}
    </span>
  );
}

/** Kept when the words are edited. */
function isFile(part: Part): boolean {
  return part.kind === "file" || (part.kind === "block" && part.block.type !== "text");
}

function linkTo(conversation: string, entry: string): string {
  return `${location.origin}${location.pathname}${conversationLink(conversation, entry)}`;
}
