import { join } from "node:path";
import { checkObject, checkString } from "../../util/checked-arguments.ts";
import type { PlaceRoots, UsualPlace } from "../contract/format.ts";
import { FORMATS } from "../readers/index.ts";

/** The places where tools keep their conversations by default, sorted by tool. Most people have some of them. */
export function usualPlaces(home: string, environment: PlaceRoots["environment"]): UsualPlace[] {
  checkString(home, "home");
  checkObject(environment, "environment");
  const data = environment.XDG_DATA_HOME || join(home, ".local", "share");
  return FORMATS.flatMap((format) => format.usualPlaces?.({ home, data, environment }) ?? []).sort((a, b) =>
    a.tool.localeCompare(b.tool, "en"),
  );
}
