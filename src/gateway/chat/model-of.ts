import { isOffline } from "../../agent/index.ts";
import type { ConversationInfo } from "../../store/index.ts";

export interface NamesModels {
  /** Those that can be asked. */
  modelNames(): readonly string[];
  modelName(key: string, asked?: string): string;
}

/** The model that answers: the one that is asked for just now, that of the conversation, or that of its session. */
export function modelOf(
  agent: NamesModels,
  { key, model }: Pick<ConversationInfo, "key" | "model">,
  asked?: string,
): string {
  // An imported conversation may name a model that cannot be asked here.
  const isUsable = model !== null && (isOffline(model) || agent.modelNames().includes(model));
  return agent.modelName(key ?? "", asked ?? (isUsable ? model : undefined));
}
