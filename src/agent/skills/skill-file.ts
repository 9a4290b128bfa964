import { realpathSync, statSync } from "node:fs";
import { readMarkdown } from "../../memory/files/read-markdown.ts";
import { isInside } from "../../state/config/files/confined.ts";
import { bytesText } from "../../util/bytes-text.ts";
import { visibleLine } from "../../util/visible-text.ts";
import { parseFrontMatter } from "./front-matter.ts";

/** A skill that is read whole by a model: more would fill its context. */
const SKILL_BYTES_MAX = 256_000;
const DESCRIPTION_CHARS_MAX = 1024;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export interface SkillText {
  readonly name: string;
  readonly description: string;
  /** Without the front matter. */
  readonly body: string;
}

/** Read a skill inside of a folder, or say why it cannot be used. A link that leaves the folder is not followed. */
export function readSkill(path: string, root: string): SkillText | string {
  let real: string;
  try {
    real = realpathSync(path);
    if (!isInside(realpathSync(root), real)) return "it is a link that leaves the folder of skills";
    if (statSync(real).size > SKILL_BYTES_MAX) return `it has more than ${bytesText(SKILL_BYTES_MAX)}`;
  } catch (error) {
    return `it cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
  const file = readMarkdown(real, Date.now());
  if (file.kind === "text") return parse(file.text);
  return file.kind === "skipped" ? file.reason : "it is gone";
}

function parse(text: string): SkillText | string {
  const matter = parseFrontMatter(text);
  if (matter === undefined)
    return "it does not begin with front matter: name and description between lines of ---";
  const name = matter.fields.get("name") ?? "";
  const description = visibleLine(matter.fields.get("description") ?? "");
  if (!NAME.test(name)) return "its name must be up to 64 letters, digits, - and _";
  if (description === "") return "it has no description, by which a model would choose it";
  return {
    name,
    description: description.slice(0, DESCRIPTION_CHARS_MAX).toWellFormed(),
    body: matter.body.trim(),
  };
}
