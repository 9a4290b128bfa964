/**
 * Sessions of pi, in all its versions, and of Oh My Pi, which writes the same
 * lines. So did OpenClaw before its database; the path distinguishes those.
 */
import { join } from "node:path";
import type { JsonObject } from "../../../util/json.ts";
import type { FormatWith } from "../../contract/format.ts";
import { madeId } from "../../contract/ids.ts";
import type { PiOrigin } from "../shared/pi-session/header.ts";
import { PiReader } from "../shared/pi-session/reader.ts";
import { isPiSession } from "../shared/pi-session/sniff.ts";
import { idIn } from "../shared/whole-tree-blocks.ts";
import { piResume } from "./resume.ts";

const NAME = "pi";

export const pi: FormatWith<"lines"> = {
  name: NAME,
  lines: {
    needsMessage: true,
    sniff: isPiSession,
    open: (sink, { path }, state) =>
      new PiReader(
        sink,
        { format: NAME, mayBeUpgraded: true, origin: (header) => originOf(path, header) },
        state,
      ),
  },
  home: { folders: [".pi", ".pi/agent", ".pi/agent/sessions"] },
  resume: piResume,
  usualPlaces: ({ home }) => [{ tool: "pi", path: join(home, ".pi", "agent", "sessions") }],
};

/** Files are named `<time>_<id>.jsonl`. Sub-agents are in a folder named after their parent's file. */
const FILE_NAME = /^\d{4}-\d\d-\d\dT[\d-]+Z?_(.+?)(?:\.jsonl.*)?$/;

function originOf(path: string, header: JsonObject): PiOrigin {
  const [folder, name] = path.split(/[\\/]/).slice(-2);
  const parent = name === undefined ? undefined : FILE_NAME.exec(folder ?? "")?.[1];
  const own = FILE_NAME.exec(name ?? folder ?? "")?.[1];
  return {
    sourceId: idIn(header.id) ?? own ?? madeId("pi", name ?? path),
    ...(parent !== undefined && { parent: { sourceId: parent } }),
  };
}
