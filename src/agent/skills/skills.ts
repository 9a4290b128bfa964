/**
 * Instructions that an agent reads when it needs them.
 *
 * A skill is a Markdown file with a name and a description, `<name>.md` or `<name>/SKILL.md` in a folder of skills. A
 * model sees the list and asks for one by name. The name is looked up in the list and is never part of a path; nothing
 * in a skill but its name, description and text means anything here.
 */

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { ColloquyError } from "../../errors.ts";
import { checkObject, checkStrings } from "../../util/checked-arguments.ts";
import { readSkill } from "./skill-file.ts";

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
}

/** A file that looks like a skill and cannot be used. */
export interface SkillProblem {
  readonly path: string;
  readonly reason: string;
}

interface ListedSkill extends Skill {
  readonly root: string;
}

const SKILLS_MAX = 500;
const ENTRIES_MAX = 10_000;
const LIST_CHARS_MAX = 32_000;

export class Skills {
  readonly problems: readonly SkillProblem[];
  readonly #byName: ReadonlyMap<string, ListedSkill>;

  /** @internal Use `findSkills`. */
  constructor(byName: ReadonlyMap<string, ListedSkill>, problems: readonly SkillProblem[]) {
    this.#byName = byName;
    this.problems = problems;
  }

  list(): Skill[] {
    return [...this.#byName.values()].map(({ name, description, path }) => ({ name, description, path }));
  }

  /** The text of a skill, as it is now. `NOT_FOUND` if there is none of this name. */
  read(name: string): string {
    const skill = this.#byName.get(name);
    if (skill === undefined) {
      const known = [...this.#byName.keys()].slice(0, 50).join(", ");
      throw new ColloquyError(
        "NOT_FOUND",
        `There is no such skill. ${known === "" ? "There are none" : `Skills: ${known}`}`,
      );
    }
    const text = readSkill(skill.path, skill.root);
    if (typeof text !== "string") return text.body;
    throw new ColloquyError("SERVICE_UNAVAILABLE", `The skill ${name} cannot be read: ${text}`);
  }

  /** The list for a system prompt; empty if there are none. */
  describe(): string {
    let text = "";
    for (const { name, description } of this.#byName.values()) {
      const line = `- ${name}: ${description}\n`;
      if (text.length + line.length > LIST_CHARS_MAX) break;
      text += line;
    }
    return text;
  }
}

export interface SkillOptions {
  /** Names of skills that are not used. */
  readonly disabled?: Iterable<string> | undefined;
}

/** The skills in some folders. A folder that comes first wins where a name is used twice. Missing folders are empty. */
export function findSkills(folders: readonly string[], options: SkillOptions = {}): Skills {
  checkStrings(folders, "folders");
  checkObject(options, "options");
  const disabled = new Set(options.disabled);
  const byName = new Map<string, ListedSkill>();
  const problems: SkillProblem[] = [];
  for (const root of folders) {
    const seen = new Set<string>();
    for (const path of candidates(root, problems)) {
      const found = readSkill(path, root);
      if (typeof found === "string") problems.push({ path, reason: found });
      else if (seen.has(found.name))
        problems.push({ path, reason: `there is another skill called ${found.name}` });
      else {
        seen.add(found.name);
        const { name, description } = found;
        if (byName.size >= SKILLS_MAX)
          problems.push({ path, reason: `there are more than ${SKILLS_MAX} skills` });
        else if (!disabled.has(name) && !byName.has(name))
          byName.set(name, { name, description, path, root });
      }
    }
  }
  return new Skills(byName, problems);
}

function candidates(root: string, problems: SkillProblem[]): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(root, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") problems.push({ path: root, reason: `the folder cannot be read (${code})` });
    return [];
  }
  const names = entries.filter(({ name }) => !name.startsWith(".")).slice(0, ENTRIES_MAX);
  return names
    .flatMap((entry) => {
      const path = join(root, entry.name);
      if (/\.md$/i.test(entry.name)) return /^readme\.md$/i.test(entry.name) ? [] : [path];
      return hasSkill(path, entry) ? [join(path, "SKILL.md")] : [];
    })
    .sort();
}

/** A folder may hold other things; one that is a link is looked into, and refused if it leads outside. */
function hasSkill(path: string, entry: Dirent): boolean {
  if (!entry.isDirectory() && !entry.isSymbolicLink()) return false;
  try {
    return readdirSync(path).includes("SKILL.md");
  } catch {
    return false;
  }
}
