/** The bodies of requests and answers of the HTTP interface, under `/api/v1`. */
import type { Entry, MessageInput } from "../../message/types.ts";

/** Every list. Pass `cursor` back to read on; `null` at the end. */
export interface ListOf<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** Every failure, with the HTTP status that fits its code. */
export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly field: string | null };
}

/** A conversation in a list. */
export interface ConversationSummary {
  readonly id: string;
  readonly key: string | null;
  readonly title: string | null;
  readonly channel: string | null;
  readonly model: string | null;
  readonly messageCount: number;
  readonly branchCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastMessageAt: string | null;
  readonly deletedAt: string | null;
  /** Whether an answer is being written. */
  readonly running: boolean;
  /** With `words=true`: the first words of the user, if there is no title. */
  readonly firstWords?: string | null;
  /** With `words=true`: the beginning of the last message. */
  readonly lastWords?: string | null;
}

/** Answers `GET /api/v1/facets`: what conversations can be filtered by. */
export interface FacetsView {
  readonly channels: readonly string[];
  readonly models: readonly string[];
}

/** One conversation. */
export interface ConversationDetails extends ConversationSummary {
  /** The checked-out branch, and its last entry. */
  readonly branch: string;
  readonly head: string | null;
  readonly compactionCount: number;
  readonly profileId: string | null;
  readonly labels: readonly { readonly entry: string; readonly label: string }[];
  /** Of all messages that say so. */
  readonly usage: UsageSums;
  /** The model that would answer, and its context window in tokens. */
  readonly answeredBy: { readonly model: string; readonly contextWindow: number | null };
}

export interface UsageSums {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** In US dollars; `null` if no message has a price. */
  readonly cost: number | null;
}

export interface CreateConversation {
  /** A UUID. Creating it again with the same one changes nothing. */
  readonly id?: string;
  readonly key?: string;
  readonly title?: string;
  readonly channel?: string;
  readonly model?: string;
}

export interface PatchConversation {
  readonly title?: string | null;
  readonly channel?: string | null;
  readonly model?: string | null;
  readonly profileId?: string | null;
}

/** With `Idempotency-Key` as operation id and `If-Match` as the expected head (`""` for none). */
export interface AppendMessages {
  readonly messages: readonly MessageInput[];
  readonly branch?: string;
}

export interface AppendedMessages {
  readonly entries: readonly Entry[];
  readonly head: string;
  /** Whether an earlier request with the same key wrote them. */
  readonly replayed: boolean;
}

export interface BranchView {
  readonly name: string;
  readonly head: string | null;
  readonly forkedFrom: string | null;
  readonly parent: string | null;
  readonly depth: number;
  readonly entryCount: number;
  readonly active: boolean;
  readonly warning: string | null;
  /** The first words that differ from its parent. */
  readonly firstWords: string | null;
}

export interface BranchesView {
  readonly branches: readonly BranchView[];
  readonly warnings: readonly string[];
  readonly limits: { readonly depthMax: number; readonly depthWarning: number };
}

/** One message or part of a context, and what became of it. */
export interface LedgerItem {
  readonly entry: string | null;
  readonly what: "kept" | "cut" | "summarized" | "dropped" | "repaired";
  readonly reason: string;
  readonly tokens: number;
  readonly role: string | null;
  readonly words: string;
}

export interface ContextView {
  /** What would be sent. */
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly maxTokens: number;
  readonly tokens: {
    readonly system: number;
    readonly summary: number;
    readonly kept: number;
    readonly cut: number;
    readonly dropped: number;
  };
  readonly ledger: readonly LedgerItem[];
}

export interface SearchHitView {
  readonly conversation: string;
  readonly key: string | null;
  readonly title: string | null;
  readonly entry: string | null;
  readonly seq: number | null;
  readonly branch: string;
  readonly active: boolean;
  readonly role: string | null;
  readonly model: string | null;
  readonly at: string;
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
  readonly score: number;
}

export interface SearchResult extends ListOf<SearchHitView> {
  /** Whether everything was searched. If not, the index is being built. */
  readonly indexed: boolean;
}

/** A summary that replaces messages in contexts. */
export interface CompactionView {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly summary: string;
  readonly strategy: string | null;
  /** How many messages it replaces. */
  readonly summarised: number;
  readonly undone: boolean;
}

/** Answers `POST /api/v1/blobs`. */
export interface StoredBlobView {
  readonly hash: string;
  readonly size: number;
}

export interface MemoryItem {
  readonly id: string;
  readonly source: string;
  readonly lines: readonly [number, number] | null;
  readonly text: string;
  readonly score: number | null;
  readonly createdAt: string | null;
}

/** Something that memory comes from: a note, a file or a conversation. */
export interface MemorySource {
  readonly source: string;
  readonly kind: "file" | "note" | "conversation";
  readonly chunks: number;
}

/** Conversations of another tool that were found on this machine. */
export interface FoundTool {
  readonly format: string;
  /** As people call it: `Claude Code`. */
  readonly name: string;
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

export interface ImportRequest {
  /** Formats of `found` to import; default: all of them. */
  readonly formats?: readonly string[];
}

export interface ImportJob {
  readonly id: string;
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly formats: readonly string[];
  readonly progress: {
    readonly files: number;
    readonly filesTotal: number;
    readonly conversations: number;
    readonly messages: number;
  };
  readonly skipped: readonly {
    readonly source: string;
    readonly line: number | null;
    readonly reason: string;
  }[];
  readonly error: ErrorBody["error"] | null;
}

export interface UsageRow extends UsageSums {
  readonly messages: number;
}

export interface UsageView {
  readonly from: string;
  readonly to: string;
  readonly total: UsageRow;
  readonly days: readonly (UsageRow & { readonly day: string })[];
  readonly models: readonly (UsageRow & { readonly model: string })[];
  readonly channels: readonly (UsageRow & { readonly channel: string })[];
}

/** A setting, and where its value comes from. Secrets are masked. */
export interface SettingView {
  readonly path: string;
  /** `null` if it is not set. */
  readonly value: unknown;
  /** `file`, `include`, `patch`, `env`, `override` or `default`. */
  readonly source: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly help: string | null;
  /** Which values it takes, such as `an integer from 1 to 65535`. */
  readonly kind: string | null;
  readonly secret: boolean;
  /** Whether `PUT` takes it. What runs programs or decides who may sign in is changed in the file. */
  readonly editable: boolean;
  /** Whether a change takes effect only with the next start of the gateway. */
  readonly needsRestart: boolean;
}

export interface FindingView {
  readonly code: string;
  readonly severity: string;
  readonly what: string;
  readonly fix: string | null;
}

/** Answers `GET /api/v1/doctor`. */
export interface DiagnosisView {
  /** No errors and no warnings. */
  readonly ok: boolean;
  readonly findings: readonly FindingView[];
  /** Everything that was looked at, in words. */
  readonly checked: readonly string[];
}

export interface ModelView {
  /** As `provider/model`. */
  readonly name: string;
  readonly contextWindow: number | null;
  /** Whether there is a key for it. */
  readonly available: boolean;
  /** Whether it answers in a new conversation for which no other is chosen. */
  readonly answers: boolean;
}

/** The config of a gateway that runs. */
export interface ConfigView {
  /** When a changed config was last taken over; `null` if that of the start is in effect. */
  readonly changedAt: string | null;
  /** Why the config files cannot be used. Until they are mended, the last good config stays in effect. */
  readonly problem: string | null;
  /** Settings that have changed and take effect with the next start. */
  readonly restart: readonly string[];
}

export interface StatusView {
  readonly version: string;
  readonly engine: string;
  readonly path: string | null;
  readonly conversations: number;
  readonly messages: number;
  readonly bytes: number;
  readonly config: ConfigView;
  readonly channels: readonly {
    readonly name: string;
    readonly account: string;
    readonly state: "connected" | "connecting" | "failed" | "stopped";
    readonly problem: string | null;
  }[];
}
