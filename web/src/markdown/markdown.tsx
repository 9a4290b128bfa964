import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { parseMarkdown } from "./parse.ts";
import { renderTree } from "./render.tsx";
import "./markdown.css";

export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const tree = useMemo(() => renderTree(parseMarkdown(text)), [text]);
  return <div class="markdown">{tree}</div>;
}
