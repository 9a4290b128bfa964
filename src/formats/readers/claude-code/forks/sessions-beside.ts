/** The sessions in the folder of a fork, as far as the fork needs them. Each is read once in an import. */
import type { JsonObject } from "../../../../util/json.ts";
import { filledIn, objectIn } from "../../../../util/values.ts";
import type { Findings } from "../../../contract/format.ts";
import type { Surroundings } from "../../../contract/reader.ts";
import { TREE_TYPES } from "../kinds.ts";
import { uuidIn } from "../line.ts";

/** What the first line in the tree of a session says about it. A type, because interfaces are not JSON. */
export type Head = {
  readonly uuid: string;
  /** Its id in the session that it names. Only a fork by the SDK has another one. */
  readonly root: string;
  /** The session that it names. */
  readonly from: string | undefined;
  /** The line that it follows, of which its file has no copy. */
  readonly after: string | undefined;
};

export class SessionsBeside {
  readonly #around: Surroundings;
  readonly #findings: Findings;

  constructor(around: Surroundings, findings: Findings) {
    this.#around = around;
    this.#findings = findings;
  }

  /** `undefined` if there is no such file, or it has no line of a session yet. */
  head(name: string): Promise<Head | undefined> {
    return this.#find(name, "claude-code head", () => this.#readHead(name));
  }

  /** The ids that lines have in the session that they were copied from, by their own ids. */
  originals(name: string): Promise<JsonObject> {
    return this.#find(name, "claude-code originals", () => this.#readOriginals(name));
  }

  /** The session with the line that another one follows, unless both begin with the same line. */
  async holder(after: string, { uuid }: Head, other: string): Promise<string | undefined> {
    const search = async (): Promise<string | undefined> => {
      for (const name of await this.#around.list(".")) {
        if (!isSession(name) || name === other || (await this.head(name))?.root === uuid) continue;
        if (await this.#holds(name, after)) return name;
      }
      return undefined;
    };
    const found = await this.#find(".", `claude-code holder for ${other}`, search);
    // It was rewritten, which does not change its folder.
    return found === undefined || (await this.#holds(found, after)) ? found : search();
  }

  #holds(name: string, uuid: string): Promise<boolean> {
    return this.#find(name, `claude-code line ${uuid}`, () => this.#readsLine(name, uuid));
  }

  #find<Found extends JsonObject | string | boolean | undefined>(
    name: string,
    what: string,
    look: () => Promise<Found>,
  ): Promise<Found> {
    return this.#findings.in(name, this.#around, what, look);
  }

  /** Nothing else is held of the file, which may have any number of lines outside of the tree. */
  async #readHead(name: string): Promise<Head | undefined> {
    for await (const { value } of this.#around.records(name)) {
      const record = objectIn(value) ?? {};
      if (isOfTree(record)) return headIn(record);
    }
    return undefined;
  }

  async #readOriginals(name: string): Promise<JsonObject> {
    const originals: Record<string, string> = {};
    for await (const { value } of this.#around.records(name)) {
      const line = objectIn(value) ?? {};
      const [own, original] = [uuidIn(line.uuid), originalId(line)];
      if (own !== undefined && original !== undefined) originals[own] = original;
    }
    return originals;
  }

  async #readsLine(name: string, uuid: string): Promise<boolean> {
    const bytes = await this.#around.read(name);
    if (bytes !== undefined) return bytes.includes(`"uuid":"${uuid}"`);
    for await (const { value } of this.#around.records(name)) {
      if (objectIn(value)?.uuid === uuid) return true;
    }
    return false;
  }
}

/** The transcripts of sub-agents, which were once beside the sessions, may be large, and no fork continues one. */
function isSession(name: string): boolean {
  return name.endsWith(".jsonl") && !name.startsWith("agent-");
}

export function isOfTree({ type, uuid, isSidechain }: JsonObject): boolean {
  return TREE_TYPES.has(String(type)) && typeof uuid === "string" && isSidechain !== true;
}

export function headIn(first: JsonObject | undefined): Head | undefined {
  const uuid = uuidIn(first?.uuid);
  if (first === undefined || uuid === undefined) return undefined;
  return {
    uuid,
    root: originalId(first) ?? uuid,
    from: filledIn(objectIn(first.forkedFrom)?.sessionId),
    after: first.subtype === "compact_boundary" ? uuidIn(first.logicalParentUuid) : undefined,
  };
}

/** The id that a line had in the session that it was copied from, if it has another one now. */
function originalId(line: JsonObject): string | undefined {
  const original = uuidIn(objectIn(line.forkedFrom)?.messageUuid);
  return original === uuidIn(line.uuid) ? undefined : original;
}

export function isRenamed({ uuid, root }: Head): boolean {
  return root !== uuid;
}
