/** Where nothing is chosen: a new chat, and in an empty store the first three things to do. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { FoundTool, ListOf, ModelView, StatusView } from "../../../src/gateway/wire/rest.ts";
import { api, messageOf } from "../api/api.ts";
import { ask } from "../api/live.ts";
import { isAdmin, mayWrite } from "../api/session.ts";
import type { Command } from "../composer/commands.ts";
import { Composer } from "../composer/composer.tsx";
import { orderOf } from "../composer/draft.ts";
import { type Load, useLoad } from "../state/use-load.ts";
import { BackButton } from "../ui/back-button.tsx";
import { shortBytes } from "../ui/count.tsx";
import { Icon } from "../ui/icon.tsx";
import { useTitle } from "../ui/page-frame.tsx";
import { plural } from "../ui/plural.ts";
import { conversationLink, go } from "./router.ts";
import "./home.css";

const COMMANDS: readonly Command[] = [
  { name: "import", help: "Import from other tools", run: () => go("#/import") },
  { name: "usage", help: "Messages, tokens and cost", run: () => go("#/usage") },
];

export function Home({ isNew }: { readonly isNew: boolean }): JSX.Element {
  useTitle(isNew ? "New conversation" : null);
  const status = useLoad("status", (signal) => api<StatusView>("GET", "status", { signal }));
  const models = useLoad("models", (signal) => api<ListOf<ModelView>>("GET", "models", { signal }));
  const [model, setModel] = useState<string | null>(null);
  const usual = models.value?.items.find(({ available }) => available)?.name ?? "model";
  const isEmpty = status.value?.conversations === 0;
  const send = useMemo(() => begin(model), [model]);
  return (
    <>
      <header class="bar">
        <BackButton />
        <h1 class="grow">{isEmpty ? "Welcome" : "New conversation"}</h1>
      </header>
      <div class="home">{isEmpty ? <First /> : <Totals status={status.value} />}</div>
      {mayWrite() && (
        <Composer
          draft="new"
          isAnswering={false}
          model={model ?? usual}
          commands={COMMANDS}
          autoFocus={isNew}
          send={send}
          onModel={setModel}
        />
      )}
    </>
  );
}

function begin(model: string | null): Parameters<typeof Composer>[0]["send"] {
  return async (message) => {
    const { conversation } = await ask("chat.send", {
      ...orderOf(message),
      ...(model !== null && { model }),
    });
    go(conversationLink(conversation));
  };
}

function Totals({ status }: { readonly status: StatusView | undefined }): JSX.Element | null {
  if (!status) return null;
  return (
    <div class="state">
      <h2>What would you like to know?</h2>
      <p>
        {plural(status.messages, "message")} in {plural(status.conversations, "conversation")} to search.
        <br />
        <kbd>/</kbd> searches, <kbd>c</kbd> writes, <kbd>?</kbd> lists every key.
      </p>
    </div>
  );
}

/** The very first screen. */
function First(): JSX.Element {
  return (
    <div class="first">
      <h2>Everything your agents said, in one place</h2>
      <ul>
        {isAdmin() && <ImportWay />}
        <li>
          <button
            type="button"
            class="first-way"
            onClick={() => document.querySelector<HTMLElement>(".composer textarea")?.focus()}
          >
            <Icon name="chat" />
            <span class="grow">
              <strong>Start a chat</strong>
              <span class="quiet">
                Write below. It works without a key, and with every model you have one for.
              </span>
            </span>
            <Icon name="right" />
          </button>
        </li>
        <li>
          <a class="first-way" href="#/about">
            <Icon name="help" />
            <span class="grow">
              <strong>Read what this is</strong>
              <span class="quiet">Where your data is, what is kept, and what leaves this machine.</span>
            </span>
            <Icon name="right" />
          </a>
        </li>
      </ul>
    </div>
  );
}

function ImportWay(): JSX.Element {
  const found = useLoad("found", (signal) => api<ListOf<FoundTool>>("GET", "imports/found", { signal }));
  return (
    <li>
      <a class="first-way" href="#/import">
        <Icon name="import" />
        <span class="grow">
          <strong>Import what is on this machine</strong>
          <span class="quiet">{foundWords(found)}</span>
        </span>
        <Icon name="right" />
      </a>
    </li>
  );
}

function foundWords({ value, error }: Load<ListOf<FoundTool>>): string {
  if (error !== undefined) return `This machine could not be searched: ${messageOf(error)}`;
  if (value === undefined) return "Looking for conversations of other tools …";
  if (value.items.length === 0)
    return "No conversations of other tools are in their usual places; files elsewhere can be imported, too.";
  return value.items
    .map(({ name, files, bytes }) => `${name}: ${plural(files, "file")}, ${shortBytes(bytes)}`)
    .join(" · ");
}
