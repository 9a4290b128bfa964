/** What this is, for somebody who has just started it. */
import type { JSX } from "preact";
import type { StatusView } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";
import { useLoad } from "../../state/use-load.ts";
import { Loaded } from "../../ui/list/states.tsx";
import { PageFrame } from "../../ui/page/page-frame.tsx";
import { exactCount, shortBytes } from "../../ui/values/count.tsx";
import "../pages.css";
import "./about.css";

export function AboutPage(): JSX.Element {
  const status = useLoad("status", (signal) => api<StatusView>("GET", "status", { signal }));
  return (
    <PageFrame title="What this is">
      <div class="about">
        <p>
          Colloquy keeps every word of every conversation that you have with AI agents, on this machine, in a
          store that is yours. This page is where you find, read and continue them.
        </p>
        <h2>Nothing is lost</h2>
        <p>
          A message is on the disk before it is shown as sent. Editing or regenerating adds a branch beside
          the original, and deleted conversations wait in the <a href="#/trash">trash</a>.
        </p>
        <h2>It stays here</h2>
        <p>
          The page talks to its own gateway only. Models are asked when you send a message, and only those
          that you gave a key for.
        </p>
        <h2>What other tools have is welcome</h2>
        <p>
          <a href="#/import">Import</a> reads the conversations of other tools where they are, and never
          changes them.
        </p>
        <h2>No key, no config</h2>
        <p>
          Importing, reading and searching need neither. To chat with a model, run{" "}
          <code>colloquy auth add</code> in a terminal.
        </p>
        <h2>The keyboard does everything</h2>
        <p>
          <kbd>/</kbd> searches, <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>?</kbd> shows the rest.
        </p>
      </div>
      <h2>This gateway</h2>
      <Loaded load={status} what="The state of the gateway could not be read">
        {(view) => <Status view={view} />}
      </Loaded>
    </PageFrame>
  );
}

function Status({ view }: { readonly view: StatusView }): JSX.Element {
  const facts: readonly (readonly [string, string])[] = [
    ["Version", view.version],
    ["Store", view.path === null ? view.engine : `${view.engine}, ${view.path}`],
    ["Conversations", exactCount(view.conversations)],
    ["Messages", exactCount(view.messages)],
    ["Size", shortBytes(view.bytes)],
    ...view.channels.map(
      ({ name, account, state, problem }) =>
        [name, [account, state, ...(problem === null ? [] : [problem])].join(", ")] as const,
    ),
  ];
  return (
    <dl class="fact-list">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
