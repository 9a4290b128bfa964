/** Modules that add tools and channels. */
import type { JsonObject } from "../../util/json.ts";
import type { Tool } from "../tools/tool.ts";

/** What every channel has. `colloquy/channel` has the whole type, and `ChannelExtension`. */
export interface ChannelLike {
  readonly name: string;
  start(...events: never[]): Promise<void>;
  send(...message: never[]): Promise<unknown>;
  close(): Promise<void>;
}

export interface Extension<Channel extends ChannelLike = ChannelLike> {
  readonly tools?: readonly Tool[];
  readonly channels?: readonly Channel[];
  /** Called once, when it is no longer needed. Its channels are closed by those who started them. */
  close?(): void | Promise<void>;
}

/** What an extension is told. */
export interface ExtensionContext {
  /** Its name in the config. */
  readonly name: string;
  /** `plugins.entries.<name>.config`, which it checks itself. */
  readonly config: JsonObject;
  /** Aborted when extensions are closed. */
  readonly signal: AbortSignal;
  /** Show the user a sentence. */
  notice(text: string): void;
}

/** The default export of a module. */
export type ExtensionFactory<Channel extends ChannelLike = ChannelLike> = (
  context: ExtensionContext,
) => Extension<Channel> | Promise<Extension<Channel>>;
