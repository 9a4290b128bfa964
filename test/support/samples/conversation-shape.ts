/** What a user sees of imported conversations, to compare imports of the same files in another order. */
import type { Message } from "../../../src/message/types.ts";
import type { Store } from "../../../src/store/store.ts";
import { listIn } from "../../../src/util/values.ts";

export interface ConversationShape {
  readonly key: string | null;
  readonly title: string | null;
  /** The first words of each message of the user and the model, without context that a tool added. */
  readonly active: readonly string[];
  readonly branches: readonly (readonly string[])[];
  readonly flags: readonly string[];
}

/** By key. */
export async function shapeOf(store: Store): Promise<ConversationShape[]> {
  const shapes: ConversationShape[] = [];
  for await (const { id } of store.list()) {
    const snapshot = await store.snapshot(id);
    const flags = new Set<string>();
    const paths = new Map<string, string[]>();
    for (const { name } of snapshot.branches) {
      const path: string[] = [];
      for await (const { message } of snapshot.path(snapshot.branch(name))) {
        if (message === undefined) continue;
        for (const flag of listIn(message.provenance?.flags as never)) flags.add(String(flag));
        const text = wordsOf(message);
        if (text !== undefined) path.push(text);
      }
      paths.set(name, path);
    }
    const active = snapshot.branches.find((branch) => branch.active)?.name ?? "";
    const { key, title } = snapshot.info;
    shapes.push({
      key,
      title,
      active: paths.get(active) ?? [],
      branches: [...paths.values()].sort(),
      flags: [...flags],
    });
  }
  return shapes.sort((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1));
}

/** Up to the directives for the model. */
function wordsOf({ role, content, extra }: Message): string | undefined {
  if (role === "system" || extra !== undefined) return undefined;
  const texts =
    typeof content === "string"
      ? [content]
      : content.flatMap(({ type, text }) => (type === "text" ? [String(text)] : []));
  const words = texts.join(" ").split(" @")[0]?.trim();
  return words === "" ? undefined : words;
}
