/** The composer of an open conversation, with what can be done there by typing. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ConversationDetails, PatchConversation } from "../../../src/gateway/wire/rest.ts";
import { api } from "../api/api.ts";
import { go } from "../app/router.ts";
import type { Command } from "../composer/commands.ts";
import { Composer } from "../composer/composer.tsx";
import { modelNamed } from "../composer/models.ts";
import type { InspectorTab } from "../inspector/inspector.tsx";
import { useCell } from "../state/cell.ts";
import { showProblem, showToast } from "../ui/toast.tsx";
import type { Chat } from "./chat.ts";
import { patchConversation } from "./requests.ts";

export interface ChatComposerProps {
  readonly chat: Chat;
  readonly details: ConversationDetails;
  onTab(tab: InspectorTab): void;
}

export function ChatComposer({ chat, details, onTab }: ChatComposerProps): JSX.Element {
  const running = useCell(chat.running);
  const change = async (body: PatchConversation): Promise<void> => {
    chat.details.set(await patchConversation(chat.id, body));
  };
  const stop = (): void => {
    chat.stop().catch((error: unknown) => showProblem("The answer was not stopped", error));
  };
  const commands = useMemo<readonly Command[]>(
    () => [
      { name: "new", help: "Begin another conversation", run: () => go("#/new") },
      {
        name: "title",
        argument: "<title>",
        help: "Rename this conversation",
        run: (title) => change({ title: title || null }),
      },
      {
        name: "model",
        argument: "<provider/model>",
        help: "Answer with another model",
        run: async (text) => change({ model: await modelNamed(text) }),
      },
      {
        name: "compact",
        help: "Summarise what is old",
        run: async () => {
          await api("POST", `conversations/${encodeURIComponent(chat.id)}/compactions`, { body: {} });
          showToast("Compacted");
          await chat.readAll();
        },
      },
      { name: "stop", help: "Stop the answer", run: stop },
      { name: "tree", help: "Show the branches", run: () => onTab("tree") },
      { name: "context", help: "Show what would be sent", run: () => onTab("context") },
    ],
    [chat],
  );
  return (
    <Composer
      key={chat.id}
      draft={chat.id}
      isAnswering={running !== null}
      model={details.answeredBy.model}
      commands={commands}
      send={(message) => chat.send(message)}
      stop={stop}
      onModel={(model) => {
        change({ model }).catch((error: unknown) => showProblem("The model was not changed", error));
      }}
    />
  );
}
