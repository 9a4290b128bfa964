/** The very first screen: what can be done with an empty store. */
import { type ComponentChildren, Fragment, type JSX } from "preact";
import type { FoundTool, ListOf } from "../../../src/gateway/wire/rest.ts";
import { api, messageOf } from "../api/api.ts";
import { isAdmin, mayWrite } from "../api/session.ts";
import { type Load, useLoad } from "../state/use-load.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { shortBytes } from "../ui/values/count.tsx";
import { plural } from "../ui/values/plural.ts";
import "./first-steps.css";

export function FirstSteps(): JSX.Element {
  return (
    <div class="first">
      <h2>Everything your agents said, in one place</h2>
      <ul>
        {isAdmin() && <ImportStep />}
        {mayWrite() && (
          <Step
            icon="chat"
            link="#/new"
            name="Start a chat"
            words="It works without a key, and with every model you have one for."
          />
        )}
        <Step
          icon="help"
          link="#/about"
          name="Read what this is"
          words="Where your data is, what is kept, and what leaves this machine."
        />
      </ul>
    </div>
  );
}

function ImportStep(): JSX.Element {
  const found = useLoad("found", (signal) => api<ListOf<FoundTool>>("GET", "imports/found", { signal }));
  return (
    <Step icon="import" link="#/import" name="Import what is on this machine" words={foundWords(found)} />
  );
}

interface StepProps {
  readonly icon: IconName;
  readonly link: string;
  readonly name: string;
  readonly words: ComponentChildren;
}

function Step({ icon, link, name, words }: StepProps): JSX.Element {
  return (
    <li>
      <a class="first-way" href={link}>
        <Icon name={icon} />
        <span class="grow">
          <strong>{name}</strong>
          <span class="quiet">{words}</span>
        </span>
        <Icon name="right" />
      </a>
    </li>
  );
}

function foundWords({ value, error }: Load<ListOf<FoundTool>>): ComponentChildren {
  if (error !== undefined) return `This machine could not be searched: ${messageOf(error)}`;
  if (value === undefined) return "Looking for conversations of other tools …";
  if (value.items.length === 0)
    return "No conversations of other tools are in their usual places; files elsewhere can be imported, too.";
  return value.items.map(({ name, path, files, bytes }, index) => (
    <Fragment key={path}>
      {index > 0 && " · "}
      <span class="found-tool">
        {name}: {plural(files, "file")}, {shortBytes(bytes)}
      </span>
    </Fragment>
  ));
}
