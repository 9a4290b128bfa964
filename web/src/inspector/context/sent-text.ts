/** Messages as one text, as a person reads it: roles as headings, blocks one after the other. */

type Sent = { readonly role: string; readonly content: unknown };

export function sentText(messages: readonly Sent[]): string {
  return messages.map(({ role, content }) => `── ${role} ──\n${contentText(content)}`).join("\n\n");
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content, null, 2);
  return content.map(blockText).join("\n");
}

function blockText(block: unknown): string {
  if (typeof block !== "object" || block === null || !("type" in block)) return JSON.stringify(block);
  if (block.type === "text" && "text" in block) return String(block.text);
  if (block.type === "tool_use" && "name" in block) {
    return `[calls ${block.name} with ${JSON.stringify("input" in block ? block.input : null)}]`;
  }
  if (block.type === "tool_result") return `[result] ${contentText("content" in block ? block.content : "")}`;
  if (block.type === "thinking" && "thinking" in block) return `[thinking] ${block.thinking}`;
  return `[${block.type}]`;
}
