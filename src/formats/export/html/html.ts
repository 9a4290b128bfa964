/** One file that can be read anywhere: no script, nothing is loaded, all words are text. */

import { bytesText } from "../../../util/bytes-text.ts";
import type { BranchRow, MessagePiece, Part, Piece } from "../document/pieces.ts";
import { timeText } from "../document/time-text.ts";
import { POLICY, STYLE } from "./html-style.ts";
import { escapeLine, preHtml, textHtml } from "./html-text.ts";

export async function* html(pieces: AsyncIterable<Piece>): AsyncGenerator<string, void, undefined> {
  let inBranch = false;
  for await (const piece of pieces) {
    if (piece.type === "title") yield headOf(piece);
    else if (piece.type === "branch") {
      yield `${inBranch ? "</section>\n" : ""}${branchHtml(piece.branch)}`;
      inBranch = true;
    } else yield pieceHtml(piece);
  }
  yield `${inBranch ? "</section>\n" : ""}</main>\n</body>\n</html>\n`;
}

function headOf({ title, facts }: Piece & { readonly type: "title" }): string {
  const rows = facts.map(([name, value]) => `<dt>${escapeLine(name)}</dt><dd>${escapeLine(value)}</dd>\n`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeLine(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 dir="auto">${escapeLine(title)}</h1>
<dl>
${rows.join("")}</dl>
`;
}

function pieceHtml(piece: Exclude<Piece, { readonly type: "title" | "branch" }>): string {
  switch (piece.type) {
    case "tree":
      return `<nav aria-label="Branches">\n<h2>Branches</h2>\n${treeHtml(piece.branches)}</nav>\n`;
    case "fork":
      return `<p class="fork">Here ${piece.branches.map(linkHtml).join(", ")} ${piece.branches.length === 1 ? "leaves" : "leave"}.</p>\n`;
    case "event":
      return `<aside id="e${piece.seq}"><h3>${escapeLine(piece.title)}</h3>${metaHtml(piece)}\n${piece.text === undefined ? "" : textHtml(piece.text)}</aside>\n`;
    case "message":
      return messageHtml(piece);
  }
}

function linkHtml({ id, name }: BranchRow): string {
  return `<a href="#b${id}">${escapeLine(name)}</a>`;
}

/** Nested lists. Not recursive: imported branches may be nested deeper than the call stack. */
function treeHtml(branches: readonly BranchRow[]): string {
  let result = '<ul class="tree">\n';
  let depth = branches[0]?.depth ?? 1;
  const start = depth;
  for (const [index, row] of branches.entries()) {
    if (index > 0) {
      if (row.depth > depth) result += "<ul>\n".repeat(row.depth - depth);
      else result += `</li>\n${"</ul></li>\n".repeat(depth - row.depth)}`;
    }
    depth = row.depth;
    result += `<li>${linkHtml(row)}<span class="meta">${row.entryCount} ${row.entryCount === 1 ? "entry" : "entries"}${row.active ? ", checked out" : ""}${originHtml(row)}</span>`;
  }
  return `${result}</li>\n${"</ul></li>\n".repeat(Math.max(0, depth - start))}</ul>\n`;
}

function originHtml({ parent, forkSeq }: BranchRow): string {
  if (parent === null) return "";
  return forkSeq === undefined ? ", starts a new root" : `, after <a href="#e${forkSeq}">#${forkSeq}</a>`;
}

function branchHtml(row: BranchRow): string {
  const { id, name, parent } = row;
  const origin =
    parent === null ? "" : `<p class="fork">Its parent is ${escapeLine(parent)}${originHtml(row)}.</p>\n`;
  return `<section id="b${id}">\n<h2>Branch ${escapeLine(name)}</h2>\n${origin}`;
}

const ROLES: Readonly<Record<string, string>> = { user: "User", assistant: "Assistant", system: "System" };

function messageHtml(piece: MessagePiece): string {
  const isResults = piece.parts.length > 0 && piece.parts.every(({ type }) => type === "result");
  const role = isResults ? "tool" : Object.hasOwn(ROLES, piece.role) ? piece.role : "other";
  const who = isResults ? "Tool" : (ROLES[piece.role] ?? piece.role);
  const parts = piece.parts.map(partHtml).join("");
  return `<article id="e${piece.seq}" class="${role}"><h3>${escapeLine(who)}</h3>${metaHtml(piece)}\n${parts}</article>\n`;
}

function metaHtml({ seq, at, ...piece }: { seq: number; at: string; notes?: readonly string[] }): string {
  const notes = (piece.notes ?? []).map((note) => ` · ${escapeLine(note)}`).join("");
  return `<span class="meta"><a href="#e${seq}">#${seq}</a> · <time datetime="${escapeLine(at)}">${timeText(at)}</time>${notes}</span>`;
}

function partHtml(part: Part): string {
  switch (part.type) {
    case "text":
      return textHtml(part.text);
    case "thinking":
      return `<details><summary>Thinking</summary>\n${textHtml(part.text)}</details>\n`;
    case "call":
      return `<details open><summary>Tool call: ${escapeLine(part.name)}</summary>\n${preHtml(part.text)}</details>\n`;
    case "result": {
      const word = part.failed ? '<span class="bad">Tool failed</span>' : "Tool result";
      const name = part.name === "" ? "" : `: ${escapeLine(part.name)}`;
      return `<details${isShort(part.parts) ? " open" : ""}><summary>${word}${name}</summary>\n${part.parts.map(resultHtml).join("")}</details>\n`;
    }
    case "file":
      return fileHtml(part);
    case "other":
      return `<details><summary>${escapeLine(part.name)}</summary>\n${preHtml(part.text)}</details>\n`;
  }
}

const SHORT_CHARS_MAX = 2000;

/** Whether it can be shown open without hiding the conversation. */
function isShort(parts: readonly Part[]): boolean {
  const chars = parts.reduce((sum, part) => sum + ("text" in part ? part.text.length : 0), 0);
  return chars <= SHORT_CHARS_MAX;
}

function resultHtml(part: Part): string {
  return part.type === "text" ? preHtml(part.text) : partHtml(part);
}

/** Image types that contain nothing but pixels. */
const SHOWN: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
]);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function fileHtml({ what, mediaType, name, size, data }: Part & { readonly type: "file" }): string {
  const facts = [what, name, mediaType, size === undefined ? "" : bytesText(size)].filter(
    (fact) => fact !== "",
  );
  const label = escapeLine(facts.join(", "));
  const isShown = what === "image" && data !== undefined && SHOWN.has(mediaType) && BASE64.test(data);
  if (!isShown) return `<p class="fork">[${label}]</p>\n`;
  return `<img src="data:${mediaType};base64,${data}" alt="${label}">\n`;
}
