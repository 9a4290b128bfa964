import { withLockSync } from "../../disk/with-lock.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { KeyConfig } from "../../key/index.ts";
import { recall, remember, setOrigin } from "./cache.ts";
import type { SessionStore } from "./entry.ts";
import { type FileOptions, filesOf, type IndexFiles, readIndex } from "./files.ts";
import { IndexEdit, type IndexEditOptions } from "./index-edit.ts";
import { writeEdit } from "./queue.ts";
import { readSettled, readWhole } from "./read.ts";
import { recoverEntries } from "./recover.ts";
import { transcriptsIn } from "./transcripts.ts";

export interface IndexOptions extends FileOptions {
  /** The folder of the agent, which has `sessions/sessions.json` in it. */
  readonly agentDir: string;
  /** Accepted for the sake of those who have it at hand: the folder alone says which index is meant. */
  readonly agentId?: string | undefined;
  readonly config?: KeyConfig | undefined;
}

export interface LoadOptions extends IndexOptions {
  /** How long a reading is trusted while the file looks the same. Default 45,000; 0 reads every time. */
  readonly cacheTtlMs?: number | undefined;
  /** Write nothing, not even the repair of a damaged index: for the folders of other programs. */
  readonly readonly?: boolean | undefined;
  /** Told what was repaired, and what could not be. */
  readonly onProblem?: ((problem: ColloquyError) => void) | undefined;
}

/**
 * The session index of an agent: a copy of your own, with keys as they are
 * written today. Empty when there is none.
 *
 * A damaged index is set aside as `sessions.json.damaged-<time>` and made anew
 * from what can still be read of it and from the transcripts beside it.
 */
export function loadSessionStore(options: LoadOptions): SessionStore {
  const files = filesOf(options.agentDir, options);
  try {
    return load(files, options);
  } catch (error) {
    throw asColloquyError(error, `Cannot read ${files.path}`);
  }
}

function load(files: IndexFiles, options: LoadOptions): SessionStore {
  const country = options.config?.session?.defaultCountry;
  const stat = files.io.stat(files.path);
  const known = stat && recall(files.path, stat, country, options.cacheTtlMs);
  if (known !== undefined) return copyOf(known.text);
  const index = stat && readWhole(files, options.config);
  if (index?.document === undefined) return recoverNow(files, options);
  const { entries, migrated } = index.document;
  const text = migrated ? JSON.stringify(entries) : index.text;
  remember(files.path, { stat: index.stat, text, country });
  setOrigin(entries, text);
  return entries;
}

function copyOf(text: string): SessionStore {
  const store = JSON.parse(text) as SessionStore;
  setOrigin(store, text);
  return store;
}

/** How an edit of this index is recovered, for those who write it. */
export function editOptions(files: IndexFiles, config: KeyConfig | undefined): IndexEditOptions {
  return { config, recover: (damaged) => recoverEntries(files.io, files.folder, damaged, config) };
}

function recoverNow(files: IndexFiles, options: LoadOptions): SessionStore {
  const { io, folder, path } = files;
  if (io.stat(path) === undefined && transcriptsIn(io, folder).length === 0) return copyOf("{}");
  let edit = new IndexEdit(readIndex(files)?.bytes, editOptions(files, options.config));
  if (!options.readonly) {
    try {
      edit = recoverLocked(files, options.config);
    } catch (error) {
      // What was found is of use even when it cannot be written down.
      options.onProblem?.(asColloquyError(error, `${path} is damaged and cannot be repaired`));
    }
  }
  const entries = edit.all();
  setOrigin(entries, JSON.stringify(entries));
  return entries;
}

function recoverLocked(files: IndexFiles, config: KeyConfig | undefined): IndexEdit {
  const lock = files.io.lock(files.lockPath);
  try {
    return withLockSync(lock, files.path, () => {
      // Another process may have repaired it meanwhile.
      const edit = new IndexEdit(readSettled(files, config), editOptions(files, config));
      edit.all();
      writeEdit(files, edit);
      return edit;
    });
  } finally {
    lock.close();
  }
}
