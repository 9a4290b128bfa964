/** The keys that seal secrets: created when first needed and kept forever, so that all sealed values stay readable. */
import { type Environment, stateLayout } from "../../folder.ts";
import { PrivateFile, type PrivateFileOptions } from "../../private-file.ts";
import { type KeyFile, type KeyPlace, keyFileText, parseKeyFile } from "./key-file.ts";
import { KEY_BYTES, type SealKey } from "./sealed.ts";
import { systemKeyStore } from "./system-key-store.ts";

export interface KeyRingOptions extends PrivateFileOptions {
  readonly stateDir: string;
  readonly env: Environment;
  readonly platform?: string;
}

export type FoundKey = { readonly key: SealKey } | { readonly reason: string };

export class KeyRing {
  readonly #options: KeyRingOptions;
  readonly #file: PrivateFile;
  readonly #opened = new Map<string, SealKey>();

  constructor(options: KeyRingOptions) {
    this.#options = options;
    this.#file = new PrivateFile(stateLayout(options.stateDir).credentials, "seal-keys", options);
  }

  /** The key that seals from now on. */
  async current(): Promise<SealKey> {
    // Under the lock: two processes that create the first key at once would each lose the other's.
    return (await this.#usable()) ?? this.#file.withLock(async () => (await this.#usable()) ?? this.#make());
  }

  /** Create a new key for sealing. The former ones stay. */
  async rotate(): Promise<SealKey> {
    return this.#file.withLock(() => this.#make());
  }

  async byId(id: string): Promise<FoundKey> {
    const opened = this.#opened.get(id);
    if (opened !== undefined) return { key: opened };
    const place = this.#read().keys.get(id);
    if (place === undefined)
      return { reason: `its key ${id} is not in ${this.#file.path}; add the secret again` };
    const hex = await this.#keyAt(id, place);
    if ("reason" in hex) return hex;
    const key = { id, bytes: hex.bytes };
    this.#opened.set(id, key);
    return { key };
  }

  close(): void {
    this.#file.close();
  }

  async #usable(): Promise<SealKey | undefined> {
    const { current } = this.#read();
    if (current === undefined) return undefined;
    const found = await this.byId(current);
    if ("key" in found) return found.key;
    this.#options.notice(
      `The current key for sealing secrets is not available (${found.reason}); creating a new one`,
    );
    return undefined;
  }

  async #make(): Promise<SealKey> {
    const { random } = this.#options;
    const bytes = Buffer.alloc(KEY_BYTES);
    const name = Buffer.alloc(6);
    random(bytes);
    random(name);
    const key = { id: name.toString("hex"), bytes };
    const place = await this.#keep(key);
    const { keys } = this.#read();
    this.#file.write(keyFileText({ current: key.id, keys: new Map([...keys, [key.id, place]]) }));
    this.#opened.set(key.id, key);
    return key;
  }

  /** In the key store of the system if it returns the saved key, otherwise in our file. */
  async #keep({ id, bytes }: SealKey): Promise<KeyPlace> {
    const { env, platform, notice } = this.#options;
    const store = systemKeyStore(env, platform);
    if (store === undefined) return { key: bytes.toString("base64") };
    const hex = bytes.toString("hex");
    const saved = await store.save(id, hex);
    const back = saved.ok ? await store.load(id) : saved;
    if (back.ok && back.output.trim() === hex) return { store: store.name };
    const reason = back.ok ? "did not keep the key" : back.reason;
    notice(
      `Cannot use the key store of the system: ${store.name} ${reason}. The key is stored in ${this.#file.path}`,
    );
    return { key: bytes.toString("base64") };
  }

  async #keyAt(id: string, place: KeyPlace): Promise<{ bytes: Buffer } | { reason: string }> {
    if ("key" in place) return { bytes: Buffer.from(place.key, "base64") };
    const { env, platform } = this.#options;
    const store = systemKeyStore(env, platform);
    if (store?.name !== place.store) {
      return { reason: `its key is in ${place.store}, which is not available in this session` };
    }
    const loaded = await store.load(id);
    if (!loaded.ok) return { reason: `its key is in ${place.store}, which ${loaded.reason}` };
    const bytes = Buffer.from(loaded.output.trim(), "hex");
    return bytes.length === KEY_BYTES ? { bytes } : { reason: `${place.store} does not have its key ${id}` };
  }

  #read(): KeyFile {
    const text = this.#file.read();
    if (text === undefined) return { current: undefined, keys: new Map() };
    return parseKeyFile(text, this.#file.path);
  }
}
