import { LIMIT_MAX } from "../../../store/access.ts";
import type { Store } from "../../../store/store.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { nextCommand, PROGRAM } from "../../invocation.ts";
import { rememberList } from "../../store/last-list.ts";
import { openToRead } from "../../store/open-store.ts";
import { type StoreTarget, storeTarget } from "../../store/store-target.ts";
import { counted } from "../../terminal/count-text.ts";
import { wrapCommand } from "../../terminal/wrap.ts";
import { packageVersion } from "../../version.ts";
import { conversationTable, infoJson } from "../../view/conversation-view.ts";

const LATEST = 5;
const TRASH_COUNTED = 1000;

/** Shown for `colloquy` without arguments. Creates nothing. */
export async function run(call: Call): Promise<Result> {
  const version = packageVersion();
  if (call.flags.has("version")) return { json: { version }, lines: [version] };
  const target = storeTarget(call.values);
  await using store = await openToRead(call, target);
  const conversations = store === undefined ? 0 : await countOf(store);
  const items = (await store?.list({ limit: LATEST, firstWords: !call.json }))?.items ?? [];
  const { engine, path } = target;
  const place = { engine, path, exists: store !== undefined };
  const json = { store: place, conversations, items: items.map(infoJson) };
  if (items.length === 0) return { json, lines: welcome(call, target, await trashLine(call, store)) };
  if (call.json) return { json };
  rememberList(
    call,
    target,
    items.map(({ id }) => id),
  );
  const lines = [
    `${counted(conversations, "conversation")} in ${placeOf(target)}`,
    "",
    ...conversationTable(call.out, items),
    "",
    `Chat:         ${nextCommand("chat", call.values)}`,
    `In a browser: ${nextCommand("start", call.values)}`,
    `Read one:     ${nextCommand("sessions history '#1'", call.values)}`,
    `List all:     ${nextCommand("sessions list", call.values)}`,
    `Search:       ${nextCommand("search TEXT", call.values)}`,
    `Branch off:   ${nextCommand("sessions branch '#1'", call.values)}`,
    `Back up:      ${nextCommand("backup PATH", call.values)}`,
    `Help:         ${PROGRAM} --help`,
  ];
  return { json, lines };
}

/** From the listing, which reads no messages. */
async function countOf(store: Store): Promise<number> {
  let count = 0;
  for await (const _ of store.list({ limit: LIMIT_MAX })) count++;
  return count;
}

function welcome({ out, values }: Call, target: StoreTarget, trash: string | undefined): string[] {
  const command = (words: string): string[] => wrapCommand(nextCommand(words, values), out.columns);
  const place = placeOf(target);
  const empty = trash === undefined ? "Nothing stored yet" : "No conversations";
  return [
    out.style("bold", "Colloquy keeps every word of every conversation an AI agent has."),
    "",
    ...(target.missing
      ? ["There is no store yet; the first message or import creates it:", `  ${place}`]
      : [`${empty} in ${place}`]),
    ...(trash === undefined ? [] : [trash]),
    "",
    "Talk to an agent; it works without a key:",
    ...command("chat"),
    "The same in a browser:",
    ...command("start"),
    "Store a first message:",
    ...command('sessions append notes:first --role user --content "Hello"'),
    "Read it back:",
    ...command("sessions history notes:first"),
    "Import your conversations from Claude Code, Codex and others:",
    ...command("import"),
    "See all commands:",
    `  ${PROGRAM} --help`,
  ];
}

/** A store without conversations may have some in the trash. */
async function trashLine({ values }: Call, store: Store | undefined): Promise<string | undefined> {
  const page = await store?.list({ trash: true, limit: TRASH_COUNTED });
  if (page === undefined || page.items.length === 0) return undefined;
  const count = `${page.cursor === null ? "" : "More than "}${counted(page.items.length, "conversation")}`;
  return `${count} in the trash: ${nextCommand("sessions list --trash", values)}`;
}

function placeOf({ engine, path }: StoreTarget): string {
  return safeLine(path === null ? `${engine}:` : path);
}
