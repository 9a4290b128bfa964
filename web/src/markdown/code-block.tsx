import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../ui/copy-button.tsx";
import { CutLines } from "./cut-lines.tsx";
import { type Highlighted, highlight, highlightedNow } from "./highlight.ts";

export interface CodeBlockProps {
  readonly text: string;
  readonly language: string | null;
  /** More lines than this are cut, with a button. */
  readonly linesMax?: number;
}

const LINES_MAX = 80;

export function CodeBlock({ text, language, linesMax = LINES_MAX }: CodeBlockProps): JSX.Element {
  return (
    <figure class="code-block">
      <figcaption>
        <span class="small quiet">{language ?? "text"}</span>
        <CopyButton name="Copy code" text={() => text} />
      </figcaption>
      <CutLines text={text} linesMax={linesMax}>
        {(shown) => <Code text={shown} language={language} />}
      </CutLines>
    </figure>
  );
}

/** Plain until the language is loaded: the height is the same, so nothing moves. */
function Code({ text, language }: { readonly text: string; readonly language: string | null }): JSX.Element {
  const [tree, setTree] = useState<Highlighted | undefined>(() => highlightedNow(language, text));
  useEffect(() => {
    let isShown = true;
    const now = highlightedNow(language, text);
    setTree(now);
    if (!now)
      void highlight(language, text).then((found) => {
        if (isShown) setTree(found);
      });
    return () => {
      isShown = false;
    };
  }, [text, language]);
  return (
    <pre>
      <code>{tree ? tree.children.map((node, index) => <Piece key={index} node={node} />) : text}</code>
    </pre>
  );
}

function Piece({ node }: { readonly node: Highlighted["children"][number] }): JSX.Element | string | null {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const names = node.properties.className;
  return (
    <span class={Array.isArray(names) ? names.join(" ") : ""}>
      {node.children.map((child, index) => (
        <Piece key={index} node={child} />
      ))}
    </span>
  );
}
