import { bytesText } from "../../../util/bytes-text.ts";
import type { BranchRow, MessagePiece, Part, Piece } from "../document/pieces.ts";
import { timeText } from "../document/time-text.ts";
import { codeBlock, inlineText, quotedText } from "./markdown-text.ts";

export async function* markdown(pieces: AsyncIterable<Piece>): AsyncGenerator<string, void, undefined> {
  for await (const piece of pieces) yield pieceText(piece);
}

function pieceText(piece: Piece): string {
  switch (piece.type) {
    case "title":
      return `# ${inlineText(piece.title)}\n\n${piece.facts.map(factLine).join("")}\n`;
    case "tree":
      return `## Branches\n\n${piece.branches.map(branchLine).join("")}\n`;
    case "branch":
      return `---\n\n## Branch ${inlineText(piece.branch.name)}\n\n${originLine(piece.branch)}`;
    case "fork":
      return `*Here ${piece.branches.map(({ name }) => `**${inlineText(name)}**`).join(", ")} ${piece.branches.length === 1 ? "leaves" : "leave"}.*\n\n`;
    case "event":
      return `### ${inlineText(piece.title)}\n\n${dateLine(piece)}${piece.text === undefined ? "" : `${quotedText(piece.text)}\n`}`;
    case "message":
      return messageText(piece);
  }
}

function factLine([name, value]: readonly [string, string]): string {
  return `- ${name}: ${inlineText(value)}\n`;
}

function branchLine({ name, depth, entryCount, active, forkSeq, parent }: BranchRow): string {
  const start =
    parent === null ? "" : forkSeq === undefined ? ", starts a new root" : `, starts after #${forkSeq}`;
  const count = `${entryCount} ${entryCount === 1 ? "entry" : "entries"}`;
  // Deeper lists are not readable anyway.
  const indent = "  ".repeat(Math.min(depth - 1, 20));
  return `${indent}- **${inlineText(name)}**${active ? " (checked out)" : ""}: ${count}${start}\n`;
}

function originLine({ parent, forkSeq }: BranchRow): string {
  if (parent === null) return "";
  const where = forkSeq === undefined ? "starts a new root" : `continues after #${forkSeq}`;
  return `*It ${where}; its parent is ${inlineText(parent)}.*\n\n`;
}

const ROLES: Readonly<Record<string, string>> = { user: "User", assistant: "Assistant", system: "System" };

function messageText(piece: MessagePiece): string {
  // Only a tool spoke: its own headings say that.
  const isResults = piece.parts.length > 0 && piece.parts.every(({ type }) => type === "result");
  const who = isResults ? "Tool" : (ROLES[piece.role] ?? inlineText(piece.role));
  return `### ${who}\n\n${dateLine(piece)}${piece.parts.map(partText).join("")}`;
}

function dateLine({ seq, at, ...piece }: { seq: number; at: string; notes?: readonly string[] }): string {
  const notes = (piece.notes ?? []).map((note) => ` · ${inlineText(note)}`).join("");
  return `*#${seq} · ${timeText(at)}${notes}*\n\n`;
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return `${quotedText(part.text)}\n`;
    case "thinking":
      return `<details>\n<summary>Thinking</summary>\n\n${quotedText(part.text)}\n</details>\n\n`;
    case "call":
      return `**Tool call: ${inlineText(part.name)}**\n\n${codeBlock(part.text, "json")}\n`;
    case "result":
      return `**${part.failed ? "Tool failed" : "Tool result"}${part.name === "" ? "" : `: ${inlineText(part.name)}`}**\n\n${part.parts.map(resultText).join("")}`;
    case "file":
      return `${fileText(part)}\n\n`;
    case "other":
      return `**${inlineText(part.name)}**\n\n${codeBlock(part.text, "json")}\n`;
  }
}

/** The output of a tool is not Markdown. */
function resultText(part: Part): string {
  return part.type === "text" ? `${codeBlock(part.text)}\n` : partText(part);
}

function fileText({ what, mediaType, name, size }: Part & { readonly type: "file" }): string {
  const facts = [what, name, mediaType].filter((fact) => fact !== "").map(inlineText);
  return `\\[${[...facts, ...(size === undefined ? [] : [bytesText(size)])].join(", ")}\\]`;
}
