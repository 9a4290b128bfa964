/** Markdown to a tree. `render.tsx` decides what each node becomes; nothing is ever parsed as HTML. */
import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** Longer texts are shown as they are: parsing must not hold up the page. */
const LENGTH_MAX = 200_000;
const KEPT_MAX = 400;
const OPTIONS = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** Scrolling back does not parse a text again. The oldest is first. */
const kept = new Map<string, Root>();

export function parseMarkdown(text: string): Root {
  const known = kept.get(text);
  if (known) return known;
  const tree = text.length > LENGTH_MAX ? unparsed(text) : fromMarkdown(text, OPTIONS);
  kept.set(text, tree);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return tree;
}

function unparsed(text: string): Root {
  return { type: "root", children: [{ type: "code", value: text }] };
}
