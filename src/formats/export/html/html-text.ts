import { visibleLine, visibleText } from "../../../util/visible-text.ts";

const NAMED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "=": "&#61;",
};

/** All foreign text passes through here, so that it stays text, also within an attribute. */
function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"'`=]/g, (character) => NAMED[character] as string);
}

export function escapeLine(text: string): string {
  return escapeHtml(visibleLine(text));
}

const FENCE = /^ {0,12}(?<edge>`{3,}(?=[^`]*$)|~{3,})[^\n]*$/;

/** Text with its line breaks; fenced parts as code. */
export function textHtml(text: string): string {
  let html = "";
  let lines: string[] = [];
  let edge: string | undefined;
  const flush = (): void => {
    const words = edge === undefined ? lines.join("\n").replace(/^\n+|\n+$/g, "") : lines.join("\n");
    if (edge !== undefined) html += `<pre><code>${escapeHtml(words)}</code></pre>\n`;
    else if (words !== "") html += `<div class="text" dir="auto">${escapeHtml(words)}</div>\n`;
    lines = [];
  };
  for (const line of visibleText(text).split("\n")) {
    const found = FENCE.exec(line)?.groups?.edge;
    const closes = edge !== undefined && found?.startsWith(edge) === true && line.trim() === found;
    if (edge === undefined ? found === undefined : !closes) {
      lines.push(line);
      continue;
    }
    flush();
    edge = closes ? undefined : found;
  }
  flush();
  return html;
}

export function preHtml(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>\n`;
}
