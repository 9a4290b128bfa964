/** Two branches side by side, from the entry where they part. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { BranchView } from "../../../../src/gateway/wire/rest.ts";
import type { Entry } from "../../../../src/message/types.ts";
import { conversationLink } from "../../app/router.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { useLoad } from "../../state/use-load.ts";
import { classes } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/list/states.tsx";
import { plural } from "../../ui/values/plural.ts";
import { RelativeTime } from "../../ui/values/time.tsx";
import { branchApi } from "../tree/branch-api.ts";
import { type EntryWords, entryWords, sameWords } from "./entry-words.ts";
import "./compare.css";

export interface CompareDialogProps {
  readonly conversation: string;
  readonly branches: readonly BranchView[];
  readonly first: string;
  readonly second: string;
  onClose(): void;
}

export function CompareDialog(props: CompareDialogProps): JSX.Element {
  const { conversation, branches, first, second, onClose } = props;
  const [a, setA] = useState(first);
  const [b, setB] = useState(second);
  const comparison = useLoad(JSON.stringify([a, b]), (signal) =>
    branchApi.compare(conversation, a, b, signal),
  );
  const names = branches.map(({ name }) => name);
  return (
    <Dialog title="Compare branches" wide onClose={onClose}>
      <div class="compare-columns compare-heads">
        <Chooser label="First branch" names={names} name={a} onName={setA} />
        <Chooser label="Second branch" names={names} name={b} onName={setB} />
      </div>
      <Loaded load={comparison} what="The branches could not be compared">
        {(found) => (
          <>
            <p class="compare-fork quiet">
              {found.commonAncestor === null ? (
                "They share no message."
              ) : (
                <>
                  Equal up to{" "}
                  <a href={conversationLink(conversation, found.commonAncestor)} onClick={onClose}>
                    this message
                  </a>
                  .
                </>
              )}
            </p>
            <div class="compare-columns">
              <Column name={a} entries={found.a} other={found.b} />
              <Column name={b} entries={found.b} other={found.a} />
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

interface ChooserProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly name: string;
  onName(name: string): void;
}

function Chooser({ label, names, name, onName }: ChooserProps): JSX.Element {
  return (
    <select
      class="field"
      aria-label={label}
      value={name}
      onChange={(event) => onName(event.currentTarget.value)}
    >
      {names.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}

interface ColumnProps {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly other: readonly Entry[];
}

function Column({ name, entries, other }: ColumnProps): JSX.Element {
  const shown = wordsOf(entries);
  const beside = wordsOf(other);
  return (
    <section class="compare-column" aria-label={`${name}: ${plural(shown.length, "message")} after the fork`}>
      {shown.length === 0 && <p class="quiet">Nothing after the fork.</p>}
      {shown.map((words, index) => (
        <EntryCard key={words.id} words={words} differs={!sameWords(words, beside[index])} />
      ))}
    </section>
  );
}

function wordsOf(entries: readonly Entry[]): readonly EntryWords[] {
  return entries.map(entryWords).filter((words) => words !== null);
}

interface EntryCardProps {
  readonly words: EntryWords;
  /** From the message beside it. */
  readonly differs: boolean;
}

function EntryCard({ words, differs }: EntryCardProps): JSX.Element {
  return (
    <article class={classes("compare-entry", words.who, differs && "differs")}>
      <header class="quiet small">
        {words.who} · <RelativeTime at={words.at} /> · {differs ? "differs" : "same words"}
      </header>
      {words.parts.map(({ kind, text }, index) =>
        kind === "aside" ? (
          <p key={index} class="quiet small">
            {text}
          </p>
        ) : (
          <Markdown key={index} text={text} />
        ),
      )}
    </article>
  );
}
