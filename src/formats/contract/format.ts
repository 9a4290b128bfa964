/**
 * Everything the import knows about one format.
 *
 * Each folder below `readers` declares one format, and `readers/index.ts`
 * lists them. Nothing else in the import knows a format by name.
 */
import type { Json, JsonObject } from "../../util/json.ts";
import type {
  RecordReader,
  Sink,
  SourceConversation,
  SourceDatabase,
  SourceRecord,
  Surroundings,
} from "./reader.ts";

export interface FormatDeclaration {
  /** As `--from` takes it. It also names the channel and the session keys of imported conversations. */
  readonly name: string;
  readonly lines?: LinesFormat;
  readonly document?: DocumentFormat;
  readonly database?: DatabaseFormat;
  /**
   * Its records look like parts of many other formats, so a match is weak
   * evidence: in a damaged file any other match wins.
   */
  readonly isGeneric?: true;
  /** Paths of files that belong to a transcript. They are read with it and never on their own. */
  readonly companions?: RegExp;
  /** A companion that describes conversations: titles, session keys. */
  readonly sideFile?: SideFile;
  /** Where the tool keeps its conversations by default. */
  readonly usualPlaces?: (roots: PlaceRoots) => readonly UsualPlace[];
  /** Folders that are the tool's own: no other conversations are looked for below them. */
  readonly home?: ToolHome;
  /** How the tool continues one of its conversations, if it can. */
  readonly resume?: ResumeRule;
}

/** A declaration with these kinds of source. */
export type FormatWith<Kind extends "lines" | "document" | "database"> = FormatDeclaration &
  Required<Pick<FormatDeclaration, Kind>>;

/** A file of one record a line. */
interface LinesFormat {
  /** The first message identifies a conversation, so a file that has none yet is left for a later import. */
  readonly needsMessage?: true;
  /**
   * Looks at the first parsable records of a file, at most 20. The path
   * decides only where two tools write the same records.
   */
  sniff(records: readonly JsonObject[], path: string): boolean;
  /**
   * What this file says about the one that it continues, which is read first. Called with the first records of a
   * file that is read from its beginning.
   */
  base?(records: readonly JsonObject[], around: Surroundings, findings: Findings): Promise<Base | undefined>;
  /** Whether what a file waits for (`Base.awaits`) is there by now, as far as that is found by a name. */
  hasBase?(awaits: string, around: Surroundings): Promise<boolean>;
  /** `state` is what the reader returned after an earlier import of the same file, which has grown since. */
  open(sink: Sink, around: Surroundings, state: Json | undefined, base?: BaseFile | undefined): RecordReader;
}

/**
 * What was found in files that others continue, and in folders. Each is read once in an import, however many forks or
 * files lead to it.
 */
export interface Findings {
  /**
   * What `look` finds in a file or a folder, also if that is nothing. It is called again if the file has changed
   * since. `what` tells findings of one file apart, and is different for each format.
   */
  in<Found extends Json | undefined>(
    name: string,
    around: Surroundings,
    what: string,
    look: () => Promise<Found>,
  ): Promise<Found>;
}

/** A fork, or a thread that went back, continues another file. */
export interface Base {
  /** The other file; `undefined` if it was not found. */
  readonly file: BaseFile | undefined;
  /** The id of a file or a record that was not found (`Sink.offer`): this file is read again when it is. */
  readonly awaits: string | undefined;
  /** The id in the source of the conversation of this file, and its root as long as the other one is missing. */
  readonly sourceId: string;
  readonly alone: string;
}

/** A file that another one continues. */
export interface BaseFile {
  /** Relative to the other file. */
  readonly name: string;
  /** The root of their conversation. */
  readonly root: string;
  /** Whatever else the reader of the other file has to know about it. */
  readonly facts: JsonObject;
}

/** A file that is one JSON value, or one long array of them. */
interface DocumentFormat {
  /** Looks at the file's value, or at the first element of its array. */
  sniff(value: JsonObject): boolean;
  /**
   * Called for the value, or for each element in turn. One whose messages are in separate files yields now and then
   * how many bytes of these it has read, so that entries are written before more are read.
   */
  read(
    record: SourceRecord,
    sink: Sink,
    around: Surroundings,
    findings: Findings,
  ): Promise<void> | void | AsyncGenerator<number>;
  /**
   * Messages are in separate files, which may change without this one.
   * A file that led to a conversation is then read in every import.
   */
  readonly isScattered?: true;
}

interface DatabaseFormat {
  sniff(database: SourceDatabase): boolean;
  /** Yields now and then, so that entries are written before more are read. */
  read(database: SourceDatabase, sink: Sink, around: Surroundings): Generator<void> | AsyncGenerator<void>;
}

/** Adds the facts of a side file to those of a transcript. */
export type Describe = (start: SourceConversation) => SourceConversation;

export interface SideFile {
  /** Names relative to the transcript. The first that exists is read. */
  names(transcript: string): readonly string[];
  /** Other files of the transcript alone, which say nothing that it does not. They are kept with it. */
  others?(transcript: string): readonly string[];
  /** All transcripts of a folder share it, or of many folders, so it is parsed once. */
  readonly isShared?: true;
  /** Where it is looked for, if that is more than the folder that the user named. */
  readonly within?: (around: Surroundings) => Surroundings;
  read(text: string): Describe;
}

/** Folders below which tools keep their files. */
export interface PlaceRoots {
  readonly home: string;
  /** `XDG_DATA_HOME`, or its default. */
  readonly data: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface UsualPlace {
  /** The tool's name, as shown to the user. */
  readonly tool: string;
  readonly path: string;
}

interface ToolHome {
  /** As paths end: the folder itself, and those below it that people name as well, with `/`. */
  readonly folders: readonly string[];
  /** The formats of other tools that this one runs, which keep their sessions there. */
  readonly runs?: readonly string[];
}

/** A source of a conversation that its tool is to continue. */
export interface ResumableSource {
  /** Its path below the folder that was imported. None of the parts leads upwards. */
  readonly parts: readonly string[];
  /** The id of the conversation in its tool. */
  readonly sourceId: string;
  /** The session key. */
  readonly key: string | null;
  /** The folder that the conversation is about. */
  readonly cwd: string | undefined;
  readonly about: JsonObject;
}

export interface ResumeRule {
  /** The tool's name, as shown to the user. */
  readonly tool: string;
  /** Where the tool looks for the source; `undefined` if nobody can tell, or it is part of a database. */
  place(source: ResumableSource, roots: PlaceRoots): string | undefined;
  /** The words of the command that continues it, whose last names it; `undefined` if there is none. */
  command(source: ResumableSource, path: string | undefined): readonly string[] | undefined;
  /** Where the source may be instead, if the tool keeps conversations that were archived somewhere else. */
  readonly archive?: ArchiveRule;
  /** What else the tool needs that is not put back. */
  readonly note?: string;
  /** How rows of its database come back, if the tool can read them from a file. */
  readonly rows?: ImportRule;
}

/** Where a tool keeps what was archived. A second copy among the others would be the same conversation twice. */
interface ArchiveRule {
  place(source: ResumableSource, roots: PlaceRoots): string | undefined;
  /** The words of the command that takes a conversation out of it. */
  command(id: string): readonly string[];
}

/** A command of a tool that adds a session to its database. */
interface ImportRule {
  /** Whether the tool has the session: it must not be written again. */
  isThere(sourceId: string, roots: PlaceRoots): Promise<boolean>;
  /** What the tool reads, made of the rows or files that were kept; `undefined` if they do not suffice. */
  file(rows: readonly JsonObject[]): JsonObject | undefined;
  /** The words of the command. */
  command(path: string): readonly string[];
}
