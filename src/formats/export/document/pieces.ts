/** The parts of a readable document, in any output format. */

/** A part of a message. Its text is raw: the output format escapes it. */
export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly text: string }
  | {
      readonly type: "result";
      readonly name: string;
      readonly failed: boolean;
      readonly parts: readonly Part[];
    }
  | {
      readonly type: "file";
      readonly what: "image" | "document";
      readonly mediaType: string;
      readonly name: string;
      /** In bytes, where that is known. */
      readonly size: number | undefined;
      /** Base64. */
      readonly data: string | undefined;
    }
  | { readonly type: "other"; readonly name: string; readonly text: string };

export interface MessagePiece {
  readonly type: "message";
  readonly seq: number;
  readonly role: string;
  readonly at: string;
  /** Model, label, how it ended. */
  readonly notes: readonly string[];
  readonly parts: readonly Part[];
}

/** An entry that is not a message. */
export interface EventPiece {
  readonly type: "event";
  readonly seq: number;
  readonly at: string;
  readonly title: string;
  readonly text: string | undefined;
}

export interface BranchRow {
  readonly id: number;
  readonly name: string;
  readonly depth: number;
  readonly entryCount: number;
  readonly active: boolean;
  /** The `seq` of the entry after which it starts. */
  readonly forkSeq: number | undefined;
  readonly parent: string | null;
}

export type Piece =
  | { readonly type: "title"; readonly title: string; readonly facts: readonly (readonly [string, string])[] }
  | { readonly type: "tree"; readonly branches: readonly BranchRow[] }
  | { readonly type: "branch"; readonly branch: BranchRow }
  | { readonly type: "fork"; readonly branches: readonly BranchRow[] }
  | MessagePiece
  | EventPiece;
