/** A thin line between messages, with a word and something to do. */
import type { ComponentChildren, JSX } from "preact";
import type { Entry } from "../../../../src/message/types.ts";
import { isAdmin, mayWrite } from "../../api/session.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { Fold } from "../../ui/fold.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu } from "../../ui/menu.tsx";
import { exactCount, shortCount } from "../../ui/values/count.tsx";
import type { RuleRow } from "../rows.ts";

export interface RuleActions {
  undoCompaction(entry: Entry): void;
  resume(): void;
  switchTo(branch: string): void;
}

export interface RuleViewProps {
  readonly row: RuleRow;
  readonly actions: RuleActions;
  /** Only the last answer can be resumed. */
  readonly isLast: boolean;
}

export function RuleView({ row, actions, isLast }: RuleViewProps): JSX.Element {
  const { entry, rule } = row;
  const data = (entry.data ?? {}) as Readonly<Record<string, unknown>>;
  if (rule === "branch-point")
    return (
      <Rule
        icon="branch"
        words={row.branches.length === 1 ? "1 other branch" : `${row.branches.length} other branches`}
      >
        <Menu
          name="Switch to another branch"
          class="rule-action"
          items={row.branches.map(({ name, firstWords }) => ({
            label: firstWords ? `${name}: ${firstWords}` : name,
            run: () => actions.switchTo(name),
          }))}
        >
          switch
        </Menu>
      </Rule>
    );
  if (rule === "interrupted" || rule === "stopped")
    return (
      <Rule icon="warning" words={rule === "stopped" ? "Stopped" : "Interrupted"}>
        {isLast && mayWrite() && (
          <button type="button" class="rule-action" onClick={actions.resume}>
            resume
          </button>
        )}
      </Rule>
    );
  if (rule === "import")
    return (
      <Rule icon="import" words={`Imported${typeof data.format === "string" ? ` from ${data.format}` : ""}`}>
        {isAdmin() && (
          <a class="rule-action" href="#/import">
            import again
          </a>
        )}
      </Rule>
    );
  if (rule === "other") return <Rule icon="list" words={capitalised(String(data.type))} />;
  const summary = typeof data.summary === "string" ? data.summary : "";
  const isCompaction = rule === "compaction";
  return (
    <>
      <Rule
        icon="context"
        words={isCompaction ? compacted(data) : `Summary of the branch ${String(data.branch)}`}
      >
        {isCompaction && mayWrite() && (
          <button type="button" class="rule-action" onClick={() => actions.undoCompaction(entry)}>
            undo
          </button>
        )}
      </Rule>
      <Fold id={entry.id} line="Summary">
        {() => <Markdown text={summary} />}
      </Fold>
    </>
  );
}

interface RuleProps {
  readonly icon: Parameters<typeof Icon>[0]["name"];
  readonly words: string;
  readonly children?: ComponentChildren;
}

export function Rule({ icon, words, children }: RuleProps): JSX.Element {
  return (
    <div class="rule">
      <Icon name={icon} />
      <span>{words}</span>
      {children}
    </div>
  );
}

/** `Model change` for `model_change`: what other programs have noted, in their words. */
function capitalised(type: string): string {
  const words = type.replaceAll(/[\s_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function compacted({ summarised, tokensBefore, tokensAfter }: Readonly<Record<string, unknown>>): string {
  const count = typeof summarised === "number" ? ` ${exactCount(summarised)} messages` : "";
  const tokens =
    typeof tokensBefore === "number" && typeof tokensAfter === "number"
      ? ` · ${shortCount(tokensBefore)} → ${shortCount(tokensAfter)} tokens`
      : "";
  return `Compacted${count}${tokens}`;
}
