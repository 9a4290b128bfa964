import { withLockSync } from "../../disk/with-lock.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { KeyConfig } from "../../key/index.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import { recall, remember, setOrigin } from "./cache.ts";
import type { SessionStore } from "./entry.ts";
import { type FileOptions, filesOf, type IndexFiles, readIndex } from "./files.ts";
import { IndexEdit, type IndexEditOptions } from "./index-edit.ts";
import { writeEdit } from "./queue.ts";
import { readSettled, readWhole } from "./read.ts";
import { recoverEntries } from "./recover.ts";
import { transcriptsIn } from "./transcripts.ts";

export interface IndexOptions extends FileOptions {
  /** The folder of the agent, which contains `sessions/sessions.json`. */
  readonly agentDir: string;
  /** Ignored: the folder identifies the index. */
  readonly agentId?: string | undefined;
  readonly config?: KeyConfig | undefined;
}

export interface LoadOptions extends IndexOptions {
  /** How long a reading may be reused while the file is unchanged. Default 45,000; 0 never. */
  readonly cacheTtlMs?: number | undefined;
  /** Write nothing, not even the repair of a damaged index. For folders of other programs. */
  readonly readonly?: boolean | undefined;
  /** Called with repairs and with damage that could not be repaired. */
  readonly onProblem?: ((problem: ColloquyError) => void) | undefined;
}

/**
 * Load the session index of an agent: a copy that the caller may change, with
 * canonical keys. Empty when there is none.
 *
 * A damaged index is set aside as `sessions.json.damaged-<time>` and rebuilt
 * from its readable entries and the transcripts beside it.
 */
export function loadSessionStore(options: LoadOptions): SessionStore {
  checkObject(options, "options");
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

/** Options of an edit, with how this index is recovered. */
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
      // The recovered entries are useful even when they cannot be written.
      options.onProblem?.(asColloquyError(error, `Cannot repair the damaged ${path}`));
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
      // Another process may have repaired it in the meantime.
      const edit = new IndexEdit(readSettled(files, config), editOptions(files, config));
      edit.all();
      writeEdit(files, edit);
      return edit;
    });
  } finally {
    lock.close();
  }
}
