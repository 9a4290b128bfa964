/** The columns: the list, what is chosen, and room for an inspector. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ConversationView } from "../conversation/conversation-view.tsx";
import { Side } from "../list/side.tsx";
import { KeyHelp } from "../pages/keys/key-help.tsx";
import { useCell } from "../state/cell.ts";
import { ConnectionBar } from "./connection-bar.tsx";
import { Home } from "./home.tsx";
import { useKey } from "./keys.ts";
import { LazyPage } from "./lazy-page.tsx";
import { go, type Place, place } from "./router.ts";

export function Shell(): JSX.Element {
  const current = useCell(place);
  const [keys, setKeys] = useState(false);
  useKey("n", () => go("#/new"));
  useKey("?", () => setKeys(true));
  return (
    <div class="shell" data-view={current.view === "home" ? "list" : "main"}>
      <button type="button" class="skip button" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the conversation
      </button>
      <ConnectionBar />
      <Side />
      <main class="main" id="main" tabIndex={-1}>
        <Shown place={current} />
      </main>
      {keys && <KeyHelp onClose={() => setKeys(false)} />}
    </div>
  );
}

function Shown({ place: shown }: { readonly place: Place }): JSX.Element {
  if (shown.view === "conversation")
    return <ConversationView key={shown.id} id={shown.id} entry={shown.entry} />;
  if (shown.view === "page") return <LazyPage name={shown.name} query={shown.query} />;
  return <Home isNew={shown.view === "new"} />;
}
