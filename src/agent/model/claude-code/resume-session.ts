/** Continues a session of Claude Code, and keeps its transcript in a store. */
import type { Options, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { ColloquyError, invalid } from "../../../errors.ts";
import type { Environment } from "../../../state/folder.ts";
import type { Store } from "../../../store/store.ts";
import { checkMethod, checkObject } from "../../../util/checked-arguments.ts";
import { defined } from "../../../util/json.ts";
import { optionalPackage } from "../../../util/optional-package.ts";
import { isUuid } from "../../../util/uuid.ts";
import { claudeFolder, findTranscript, projectOf, sessionNotFound } from "./find-transcript.ts";
import { Mirror } from "./mirror.ts";
import type { SessionAnswer, SessionEvent } from "./session.ts";
import { answerOf, eventsOf, failed } from "./session-events.ts";

export interface ResumeSessionOptions {
  readonly store: Store;
  /** By default the folder that the session was started in. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** What Claude Code may do without asking, which it cannot here. By default as in its settings. */
  readonly permissionMode?: "default" | "acceptEdits" | "plan" | "dontAsk" | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  /** By default the one that comes with the SDK. */
  readonly executable?: string | undefined;
  readonly env?: Environment | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
}

export interface ResumedSession extends SessionAnswer {
  readonly sessionId: string;
  /** The conversation in the store. */
  readonly conversation: string;
  readonly key: string | null;
}

/**
 * Send a prompt to a session of Claude Code.
 *
 * Its transcript is mirrored into the store as it grows, and once more at the end, however the session ends. A prompt
 * that is stopped throws the reason of the signal.
 */
export async function resumeSession(
  sessionId: string,
  prompt: string,
  options: ResumeSessionOptions,
): Promise<ResumedSession> {
  if (!isUuid(sessionId)) throw invalid("The id of a session is a UUID", "sessionId");
  if (typeof prompt !== "string" || prompt.trim() === "") throw invalid("The prompt is empty", "prompt");
  checkObject(options, "options");
  checkMethod(options.store, "ingest", "store");
  const { store, env = process.env, signal, onEvent = () => {} } = options;
  signal?.throwIfAborted();
  const folder = claudeFolder(env);
  const transcript = findTranscript(folder, sessionId);
  if (transcript === undefined) throw sessionNotFound(sessionId, folder);
  const mirror = new Mirror(store, transcript, (messages) => onEvent({ type: "mirrored", messages }));
  let answer: SessionAnswer;
  try {
    const cwd = options.cwd ?? projectOf(transcript);
    answer = await run(prompt, sdkOptions(sessionId, cwd, env, options), mirror, options);
  } catch (error) {
    // What was said is in the transcript, and the next import brings it.
    await mirror.finish().catch(() => {});
    throw error;
  }
  const imported = await mirror.finish();
  if (imported === undefined) throw failed(`nothing was written to ${transcript}`);
  return { sessionId, conversation: imported.id, key: imported.key, ...answer };
}

function sdkOptions(
  resume: string,
  cwd: string,
  env: Environment,
  { model, permissionMode, allowedTools, executable }: ResumeSessionOptions,
): Options {
  const chosen = {
    model,
    permissionMode,
    allowedTools: allowedTools === undefined ? undefined : [...allowedTools],
    pathToClaudeCodeExecutable: executable,
  };
  return { resume, cwd, env: { ...env }, includePartialMessages: true, ...defined(chosen) };
}

async function run(
  prompt: string,
  options: Options,
  mirror: Mirror,
  { signal, onEvent = () => {} }: ResumeSessionOptions,
): Promise<SessionAnswer> {
  const name = "@anthropic-ai/claude-agent-sdk";
  const { query } = await optionalPackage(
    name,
    "Resuming a session of Claude Code",
    () => import("@anthropic-ai/claude-agent-sdk"),
  );
  const abortController = new AbortController();
  const stop = (): void => abortController.abort();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    let answer: SessionAnswer | undefined;
    for await (const message of query({ prompt, options: { ...options, abortController } })) {
      for (const event of eventsOf(message)) onEvent(event);
      if (isWritten(message)) mirror.update();
      if (message.type === "result") answer = answerOf(message);
    }
    signal?.throwIfAborted();
    if (answer === undefined) throw failed("it ended without an answer");
    return answer;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error instanceof ColloquyError
      ? error
      : failed(error instanceof Error ? error.message : String(error));
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** Messages of the session, not the pieces that they are streamed in. */
function isWritten({ type }: SDKMessage): boolean {
  return type === "assistant" || type === "user" || type === "result";
}
