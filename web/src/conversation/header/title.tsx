import type { JSX } from "preact";
import type { ConversationDetails } from "../../../../src/gateway/wire/rest.ts";
import { mayWrite } from "../../api/session.ts";
import { titleOf } from "../../list/title.ts";
import { showProblem } from "../../ui/toast.tsx";
import type { Chat } from "../chat.ts";
import { patchConversation } from "../requests.ts";

export interface TitleProps {
  readonly chat: Chat;
  readonly details: ConversationDetails;
  /** While it is being edited. */
  readonly text: string | null;
  onText(text: string | null): void;
}

/** Edited where it is. Shown changed at once, and changed back if the gateway refuses. */
export function Title({ chat, details, text, onText: setText }: TitleProps): JSX.Element {
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
