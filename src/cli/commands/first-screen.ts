import type { Call } from "../command.ts";
import { conversationTable, counted, infoJson } from "../conversation-view.ts";
import { EXIT_DONE } from "../exit.ts";
import { openToRead } from "../open-store.ts";
import { safeLine } from "../safe-text.ts";
import { type StoreTarget, storeTarget } from "../store-target.ts";

const LATEST = 5;

/** What somebody sees who types nothing but `colloquy`. Makes nothing. */
export async function run(call: Call): Promise<number> {
  if (call.flags.has("version")) return showVersion(call);
  const target = storeTarget(call.values);
  await using store = await openToRead(call, target);
  const conversations = (await store?.stats())?.conversations ?? 0;
  const items = (await store?.list({ limit: LATEST }))?.items ?? [];
  const { engine, path } = target;
  if (call.json) {
    const exists = store !== undefined;
    call.out.json({ store: { engine, path, exists }, conversations, items: items.map(infoJson) });
  } else if (items.length === 0) call.out.lines(welcome(call, target));
  else {
    call.out.lines([
      `${counted(conversations, "conversation")} in ${placeOf(target)}`,
      "",
      ...conversationTable(call.out, items),
      "",
      "Read one:   colloquy sessions history CONVERSATION",
      "See all:    colloquy sessions list",
      "Much more:  colloquy --help",
    ]);
  }
  return EXIT_DONE;
}

function welcome({ out }: Call, target: StoreTarget): string[] {
  return [
    out.style("bold", "Colloquy keeps every word of every conversation an AI agent has."),
    "",
    target.missing
      ? `There is no store yet; the first message makes ${placeOf(target)}`
      : `Nothing is stored yet in ${placeOf(target)}`,
    "",
    "Keep a first message:",
    '  colloquy sessions append notes:first --role user --content "Hello"',
    "Read it back:",
    "  colloquy sessions history notes:first",
    "See all commands:",
    "  colloquy --help",
  ];
}

function placeOf({ engine, path }: StoreTarget): string {
  return safeLine(path === null ? `${engine}:` : path);
}

async function showVersion({ json, out }: Call): Promise<number> {
  const { readFileSync } = await import("node:fs");
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  if (json) out.json({ version });
  else out.lines([version]);
  return EXIT_DONE;
}
