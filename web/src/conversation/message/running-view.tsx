/** The answer while it is being written. */
import type { JSX } from "preact";
import type { ApprovalQuestion } from "../../../../src/gateway/wire/frames.ts";
import { ask } from "../../api/live.ts";
import { mayApprove } from "../../api/session.ts";
import { CodeBlock } from "../../markdown/code-block.tsx";
import { Markdown } from "../../markdown/markdown.tsx";
import { Button } from "../../ui/button.tsx";
import { Fold } from "../../ui/fold.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { timeOfDay } from "../../ui/values/time.tsx";
import type { Running } from "../running.ts";
import { Thinking } from "./parts.tsx";
import { ToolLine } from "./tool-call.tsx";

export function RunningView({ answer }: { readonly answer: Running }): JSX.Element {
  const { run, text, thinking, tools, approvals, notice } = answer;
  return (
    <article class="message assistant running" aria-label="Assistant, writing" aria-busy="true">
      <div class="message-body">
        {thinking && <Thinking id={`${run}/thinking`} text={thinking} />}
        {text && <Markdown text={text} />}
        {tools.map((tool) => (
          <Fold
            key={tool.id}
            id={tool.id}
            line={
              <ToolLine name={tool.name} words={tool.input.slice(0, 200)} state={tool.state} ms={tool.ms} />
            }
          >
            {() => (
              <>
                <CodeBlock text={tool.input} language="json" linesMax={40} />
                {tool.output !== null && <CodeBlock text={tool.output} language={null} linesMax={40} />}
              </>
            )}
          </Fold>
        ))}
        {approvals.map((question) => (
          <Approval key={question.id} question={question} />
        ))}
      </div>
      <Spoken text={text} />
      <footer class="message-foot shown">
        <span class="pulse" />
        <span class="small quiet">{notice ?? "Writing …"}</span>
      </footer>
    </article>
  );
}

/** For screen readers: each paragraph once, when it is complete. */
function Spoken({ text }: { readonly text: string }): JSX.Element {
  const paragraphs = text.split(/\n\s*\n/).slice(0, -1);
  return (
    <div class="unseen" role="log" aria-live="polite" aria-label="The answer">
      {paragraphs.map((paragraph, index) => (
        <p key={index}>{paragraph}</p>
      ))}
    </div>
  );
}

/** The whole input is shown: what is not seen cannot be approved. */
function Approval({ question }: { readonly question: ApprovalQuestion }): JSX.Element {
  const answer = (allow: boolean): void => {
    ask("approval.answer", { id: question.id, allow }).catch((error) => showProblem("Not answered", error));
  };
  return (
    <section class="approval" aria-label={`Approve ${question.tool}`}>
      <h3>
        Allow <code>{question.tool}</code>?
      </h3>
      <CodeBlock text={question.input} language="json" linesMax={Number.POSITIVE_INFINITY} />
      <div class="approval-foot">
        <span class="small quiet grow">
          {mayApprove() ? "Refused" : "An administrator can allow it. It is refused"} if there is no answer by{" "}
          {timeOfDay(question.expiresAt)}
        </span>
        {mayApprove() && (
          <>
            <Button onClick={() => answer(false)}>Refuse</Button>
            <Button look="primary" onClick={() => answer(true)}>
              Allow once
            </Button>
          </>
        )}
      </div>
    </section>
  );
}
