/** Where nothing is chosen: a new chat, and in an empty store the first three things to do. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { StatusView } from "../../../src/gateway/wire/rest.ts";
import { api } from "../api/api.ts";
import { ask } from "../api/live.ts";
import { mayWrite } from "../api/session.ts";
import type { Command } from "../composer/commands.ts";
import { Composer } from "../composer/composer.tsx";
import { orderOf } from "../composer/draft.ts";
import { modelNamed, readModels } from "../composer/models.ts";
import { useLoad } from "../state/use-load.ts";
import { BackButton } from "../ui/page/back-button.tsx";
import { useTitle } from "../ui/page/page-frame.tsx";
import { plural } from "../ui/values/plural.ts";
import { FirstSteps } from "./first-steps.tsx";
import { conversationLink, go } from "./router.ts";
import "./home.css";

const PAGES: readonly Command[] = [
  { name: "import", help: "Import from other tools", run: () => go("#/import") },
  { name: "memory", help: "Search and add notes", run: () => go("#/memory") },
  { name: "usage", help: "Messages, tokens and cost", run: () => go("#/usage") },
  { name: "settings", help: "Show the config and change it", run: () => go("#/settings") },
];

export function Home({ isNew }: { readonly isNew: boolean }): JSX.Element {
  useTitle(isNew ? "New conversation" : null);
  const status = useLoad("status", (signal) => api<StatusView>("GET", "status", { signal }));
  const models = useLoad("models", readModels);
  const [model, setModel] = useState<string | null>(null);
  const usual = models.value?.find(({ answers }) => answers)?.name ?? "model";
  /** Not again for those who have chosen to write. */
  const isFirst = status.value?.conversations === 0 && !isNew;
  useEffect(() => {
    if (isNew) document.querySelector<HTMLElement>(".composer textarea")?.focus();
  }, [isNew]);
  const commands: readonly Command[] = [
    {
      name: "model",
      argument: "<provider/model>",
      help: "Answer with another model",
      run: async (text) => setModel(await modelNamed(text)),
    },
    ...PAGES,
  ];
  const send = useMemo(() => begin(model), [model]);
  return (
    <>
      <header class="bar">
        <BackButton />
        <h1 class="grow">{isFirst ? "Welcome" : "New conversation"}</h1>
      </header>
      <div class="home">{isFirst ? <FirstSteps /> : <Totals status={status.value} />}</div>
      {mayWrite() && (
        <Composer
          draft="new"
          isAnswering={false}
          model={model ?? usual}
          commands={commands}
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
        {status.conversations === 0
          ? "Nothing is stored yet. What you write here is kept."
          : `${plural(status.messages, "message")} in ${plural(status.conversations, "conversation")} to search.`}
        <span class="home-keys">
          <kbd>/</kbd> searches, <kbd>c</kbd> writes, <kbd>?</kbd> lists every key.
        </span>
      </p>
    </div>
  );
}
