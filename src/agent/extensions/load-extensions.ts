import { pathToFileURL } from "node:url";
import { invalid, unavailable } from "../../errors.ts";
import { checkObject, checkString } from "../../util/checked-arguments.ts";
import { isPlainObject, type JsonObject } from "../../util/json.ts";
import { untilAborted } from "../loop/until-aborted.ts";
import { nameTaken, ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { ChannelLike, Extension, ExtensionContext, ExtensionFactory } from "./extension.ts";
import { moduleFile, type NamedModule, namedModules } from "./named-modules.ts";

export interface ExtensionOptions {
  /** The config, of which the section `plugins` counts. */
  readonly config: JsonObject;
  /** The folder `extensions/` of the state folder. */
  readonly folder: string;
  /** Names of other tools, which those of extensions cannot have. */
  readonly taken?: Iterable<string> | undefined;
  /** A sentence for the user: an extension cannot be used, or wants to say something. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** How long a module may take to load. Default: 30 s. */
  readonly timeoutMs?: number | undefined;
}

export interface Extensions<Channel extends ChannelLike = ChannelLike> extends AsyncDisposable {
  /** The names of those that were loaded. */
  readonly names: readonly string[];
  readonly tools: readonly Tool[];
  readonly channels: readonly Channel[];
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

/**
 * Load the extensions that the config names and enables, in its order. They are code of the owner's choice, with all
 * rights of this process. One that fails is reported and left out; the others are used.
 */
export async function loadExtensions<Channel extends ChannelLike = ChannelLike>(
  options: ExtensionOptions,
): Promise<Extensions<Channel>> {
  checkObject(options, "options");
  checkObject(options.config, "config");
  checkString(options.folder, "folder");
  const { config, folder, onNotice = () => {}, timeoutMs = TIMEOUT_MS } = options;
  const closing = new AbortController();
  const taken = new Set(options.taken);
  const registry = new ToolRegistry();
  const loaded = new Map<string, Extension<Channel>>();
  for (const module of namedModules(config)) {
    const { name } = module;
    const notice = (text: string): void => onNotice(`Extension ${name}: ${text}`);
    const context = { name, config: structuredClone(module.config), signal: closing.signal, notice };
    try {
      const extension = await extensionOf<Channel>(module, folder, context, timeoutMs);
      const { tools = [] } = extension;
      const clash = tools.find((tool) => taken.has(tool?.name));
      if (clash !== undefined) throw nameTaken(clash.name);
      registry.add(...tools);
      loaded.set(name, extension);
    } catch (error) {
      notice(`it is not used: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const extensions = [...loaded.values()];
  const close = async (): Promise<void> => {
    if (closing.signal.aborted) return;
    closing.abort(new Error("Extensions are closed"));
    for (const [name, extension] of loaded) {
      await closed(extension).catch((error) => onNotice(`Extension ${name}: ${error.message}`));
    }
  };
  return {
    names: [...loaded.keys()],
    tools: extensions.flatMap(({ tools = [] }) => tools),
    channels: extensions.flatMap(({ channels = [] }) => channels),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closed(extension: Extension): Promise<void> {
  await extension.close?.();
}

async function extensionOf<Channel extends ChannelLike>(
  module: NamedModule,
  folder: string,
  context: ExtensionContext,
  timeoutMs: number,
): Promise<Extension<Channel>> {
  const file = moduleFile(module, folder);
  const load = async (): Promise<unknown> => {
    const { default: factory } = await import(pathToFileURL(file).href);
    if (typeof factory !== "function") throw invalid("its default export must be a function", "default");
    return (factory as ExtensionFactory<Channel>)(context);
  };
  const late = AbortSignal.timeout(timeoutMs);
  const made = await untilAborted(load(), late).catch((error) => {
    throw error === late.reason ? unavailable(`it did not load within ${timeoutMs / 1000} s`) : error;
  });
  return checkExtension(made) as Extension<Channel>;
}

/** Tools are checked where they are registered. */
function checkExtension(made: unknown): Extension {
  if (!isPlainObject(made))
    throw invalid("its function must return an object with tools or channels", "default");
  const { tools = [], channels = [] } = made;
  if (!Array.isArray(tools)) throw invalid("its tools must be a list", "tools");
  if (!Array.isArray(channels) || !channels.every(isChannel)) {
    throw invalid(
      "its channels must be a list, each with a name and the functions start, send and close",
      "channels",
    );
  }
  return made;
}

function isChannel(value: unknown): value is ChannelLike {
  const channel = (value ?? {}) as Readonly<Record<string, unknown>>;
  const methods = [channel.start, channel.send, channel.close];
  return typeof channel.name === "string" && methods.every((method) => typeof method === "function");
}
