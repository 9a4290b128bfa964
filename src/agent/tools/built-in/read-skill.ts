import { defineTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";

/** Where skills are found by their names. */
export interface SkillSource {
  list(): readonly { readonly name: string }[];
  read(name: string): string;
}

export function readSkillTool(skills: SkillSource): Tool {
  return defineTool({
    name: "read_skill",
    description:
      "Read one of the listed skills: instructions for a kind of task. Read it before you begin such a task",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", description: "As it is listed", maxLength: 64 } },
      required: ["name"],
      additionalProperties: false,
    },
    mayRepeat: true,
    run: ({ name }) => skills.read(name),
  });
}
