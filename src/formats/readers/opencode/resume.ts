import type { ResumeRule } from "../../contract/format.ts";

export const opencodeResume: ResumeRule = {
  tool: "opencode",
  place: () => undefined,
  command: ({ sourceId }) => ["opencode", "--session", sourceId],
  note: "opencode keeps sessions in its database, which is not changed: one that was deleted there cannot be continued",
};
